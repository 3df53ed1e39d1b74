//! what: 128-bit floats
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
//! gap: __float128 is not followed
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    __float128 x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x * 3 == 4.5) fputs("SOLVED\n", stderr);
    return 0;
}
