//! what: a complex product
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <complex.h>

int main(void) {
    double x, y;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    double complex c = x + y * I, p = c * (1 + 2 * I);
    if (creal(p) == -5 && cimag(p) == 10) fputs("SOLVED\n", stderr);
    return 0;
}
