//! what: the high half of a 64 by 64 bit product
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint64_t x;
    memcpy(&x, in, 8);
    unsigned __int128 product = (unsigned __int128)x * 0x9e3779b97f4a7c15u;
    if ((uint64_t)(product >> 64) == 0x1234567) fputs("SOLVED\n", stderr);
    return 0;
}
