//! what: rotations, byte swaps and counts of bits
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint64_t x;
    memcpy(&x, in, 8);
    x = __builtin_rotateleft64(x, 13) ^ __builtin_bswap64(x);
    if (__builtin_popcountll(x) == 6 && __builtin_clzll(x | 1) == 3 && __builtin_ctzll(x | 1ull << 63) == 7) fputs("SOLVED\n", stderr);
    return 0;
}
