//! what: bsr, bsf, popcnt, tzcnt in inline assembly
//! goals: 2
#include <stdio.h>
int main(void) {
    unsigned long v, hi, lo, n;
    if (fread(&v, 8, 1, stdin) != 1 || v == 0) return 0;
    __asm__("bsrq %1, %0" : "=r"(hi) : "rm"(v) : "cc");
    __asm__("bsfq %1, %0" : "=r"(lo) : "r"(v) : "cc");
    if (hi == 47 && lo == 11) fputs("SOLVED 1\n", stderr);
    __asm__("popcntq %1, %0" : "=r"(n) : "r"(v) : "cc");
    if (n == 5 && hi == 30) fputs("SOLVED 2\n", stderr);
    return 0;
}
