//! what: sine and cosine of one angle
//! flags: -O2 -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    double s = sin(x), c = cos(x);
    if (s > 0.7 && c > 0.7 && x > 50) fputs("SOLVED\n", stderr);
    return 0;
}
