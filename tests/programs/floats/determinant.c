//! what: a determinant is zero
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
    double a[2][2] = {{x, 3}, {y, 4.5}};
    if (a[0][0] * a[1][1] - a[0][1] * a[1][0] == 0 && x > 1 && y > 1) fputs("SOLVED\n", stderr);
    return 0;
}
