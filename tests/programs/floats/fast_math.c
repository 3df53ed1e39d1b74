//! what: arithmetic with -ffast-math
//! flags: -O2 -ffast-math -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x * 4.0 - 1.0 == 7.0) fputs("SOLVED\n", stderr);
    return 0;
}
