//! what: cancellation: a difference of squares
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x, y;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (x * x - y * y == 16777216.0f && x - y == 1) fputs("SOLVED\n", stderr);
    return 0;
}
