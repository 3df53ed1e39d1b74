//! what: bswap and rotate in inline assembly
//! goals: 2
#include <stdint.h>
#include <stdio.h>
int main(void) {
    uint32_t a; uint64_t w;
    if (fread(&a, 4, 1, stdin) != 1 || fread(&w, 8, 1, stdin) != 1) return 0;
    __asm__("bswap %0" : "+r"(a));
    if (a == 0x01020304) fputs("SOLVED 1\n", stderr);
    __asm__("bswapq %0\n\trorq $13, %0" : "+r"(w));
    if (w == 0x123456789abcdef0) fputs("SOLVED 2\n", stderr);
    return 0;
}
