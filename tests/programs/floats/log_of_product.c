//! what: logarithms of two unknowns
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x, y;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (log(x) + log(y) == log(12) && x == 3) fputs("SOLVED\n", stderr);
    return 0;
}
