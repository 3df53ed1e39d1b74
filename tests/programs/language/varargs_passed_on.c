//! what: a va_list passed on to another function, and copied with va_copy
//! goals: 2
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) long sum(va_list ap, int n) {
    long s = 0;
    while (n--) s = s * 7 + va_arg(ap, int);
    return s;
}
static __attribute__((noinline)) void both(int n, ...) {
    va_list ap, again;
    va_start(ap, n);
    va_copy(again, ap);
    long first = sum(ap, n), second = sum(again, n / 2);
    va_end(again);
    va_end(ap);
    if (first == 1000003) fputs("SOLVED 1\n", stderr);
    if (second == 777 && first % 1000 == 500) fputs("SOLVED 2\n", stderr);
}
int main(void) {
    unsigned char b[8];
    if (fread(b, 1, 8, stdin) != 8) return 0;
    both(8, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
    return 0;
}
