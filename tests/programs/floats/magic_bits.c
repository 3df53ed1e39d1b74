//! what: the bits of a computed double seen through memcpy
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    double y = x + 1.25;
    unsigned long long bits;
    memcpy(&bits, &y, sizeof bits);
    if (bits == 0x4037800000000000ull) fputs("SOLVED\n", stderr);
    return 0;
}
