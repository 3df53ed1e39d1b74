//! what: comparison macros that raise nothing
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
    if (!isgreater(x, y) && !islessequal(x, y) && x == x) fputs("SOLVED\n", stderr);
    return 0;
}
