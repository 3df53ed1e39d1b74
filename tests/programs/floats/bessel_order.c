//! what: a Bessel function of a given order
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
//! gap: jn takes an integer and a double and is not followed
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (jn(2, x) > 0.48 && x > 0) fputs("SOLVED\n", stderr);
    return 0;
}
