//! what: rounding down and up
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (floor(x) == 41 && ceil(x) == 42 && x - floor(x) > 0.75) fputs("SOLVED\n", stderr);
    return 0;
}
