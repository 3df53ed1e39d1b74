//! what: a double computed from the input and passed through ...
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) double last(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double d = 0;
    while (n--) d = va_arg(ap, double);
    va_end(ap);
    return d;
}
int main(void) {
    short s;
    if (fread(&s, 2, 1, stdin) != 1) return 0;
    if (last(10, 0., 1., 2., 3., 4., 5., 6., 7., 8., s * 0.5) == 1234.5) fputs("SOLVED\n", stderr);
    return 0;
}
