//! what: fraction and exponent
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    int e;
    double f = frexp(x, &e);
    if (f == 0.75 && e == 4) fputs("SOLVED\n", stderr);
    return 0;
}
