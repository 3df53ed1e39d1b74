//! what: two floats are neighbours
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
    long a, b;
    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    if (b - a == 1 && x > 1 && x < 2) fputs("SOLVED\n", stderr);
    return 0;
}
