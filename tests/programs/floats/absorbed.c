//! what: one is lost in the sum
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x > 0 && x < INFINITY && x + 1 == x) fputs("SOLVED\n", stderr);
    return 0;
}
