//! what: Newton's iteration for a square root
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    double y = 1;
    if (!(x > 0 && x < 1e6)) return 0;
    for (int k = 0; k < 6; k++) y = (y + x / y) / 2;
    if (fabs(y - 3.0) < 1e-9) fputs("SOLVED\n", stderr);
    return 0;
}
