//! what: Horner's scheme of degree four
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    double c[5] = {1, 1, 1, 1, 1}, p = 0;
    for (int k = 4; k >= 0; k--) p = p * x + c[k];
    if (p == 31 && x > 0) fputs("SOLVED\n", stderr);
    return 0;
}
