//! what: more variable arguments than registers: those on the stack keep their meaning, of every size
//! goals: 2
#include <stdarg.h>
#include <stdio.h>
static __attribute__((noinline)) void pick(int n, ...) {
    va_list ap;
    va_start(ap, n);
    long v[12];
    for (int k = 0; k < n; k++) v[k] = (k & 1) ? va_arg(ap, long) : va_arg(ap, int);
    va_end(ap);
    if (v[7] == 0x6b6579 && v[10] == 'z') fputs("SOLVED 1\n", stderr);
    if (v[0] + v[11] == 399 && v[1] == 3 * v[9]) fputs("SOLVED 2\n", stderr);
}
int main(void) {
    unsigned char b[12];
    if (fread(b, 1, 12, stdin) != 12) return 0;
    long w = b[7] << 16 | b[8] << 8 | b[9];
    pick(12, b[0], (long)b[1], b[2], (long)b[3], b[4], (long)b[5], b[6], w, b[8], (long)b[9], b[10], (long)b[11]);
    return 0;
}
