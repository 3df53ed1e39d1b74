//! what: doubles and integers through ... keep apart: integers and floats travel in different registers
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) int mixed(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int found = 0;
    for (int k = 0; k < n; k++) {
        double d = va_arg(ap, double);
        int i = va_arg(ap, int);
        if (d > 100 * k && i == 200 + k) found++;
    }
    va_end(ap);
    return found;
}
int main(void) {
    unsigned char b[3];
    if (fread(b, 1, 3, stdin) != 3) return 0;
    if (mixed(3, 1.5, (int)b[0], 101.0, (int)b[1], 300.25, (int)b[2]) == 3) fputs("SOLVED\n", stderr);
    return 0;
}
