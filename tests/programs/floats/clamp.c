//! what: a clamped value strictly inside
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    float c = x < -3 ? -3 : x > 3 ? 3 : x;
    if (c == x && c * c == 6.25f && c > 0) fputs("SOLVED\n", stderr);
    return 0;
}
