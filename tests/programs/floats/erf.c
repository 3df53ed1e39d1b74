//! what: the error function between bounds
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (erf(x) > 0.842 && erf(x) < 0.843) fputs("SOLVED\n", stderr);
    return 0;
}
