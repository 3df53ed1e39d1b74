//! what: cpuid and rdtsc answer without harm; the counter is the same in every ordered run
#include <stdint.h>
#include <stdio.h>
int main(void) {
    unsigned a = 0, b, c = 0, d, lo, hi;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    uint64_t t = (uint64_t)hi << 32 | lo;
    uint64_t u = __builtin_ia32_rdtsc();
    unsigned char in[2];
    if (fread(in, 1, 2, stdin) != 2) return 0;
    unsigned seed = (unsigned)(t ^ u) | 1;
    if (in[0] * in[1] == 143 * 139 && seed) fputs("SOLVED\n", stderr);
    return b == 0;
}
