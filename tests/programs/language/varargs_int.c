//! what: integers read from the input, passed through ... and summed with va_arg
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) int weigh(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int sum = 0;
    for (int k = 1; k <= n; k++) sum = sum * 31 + k * va_arg(ap, int);
    va_end(ap);
    return sum;
}
int main(void) {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    if (weigh(4, b[0], b[1] ^ 0x55, b[2], b[3]) == 0x3a1f97) fputs("SOLVED\n", stderr);
    return 0;
}
