//! what: a table indexed by a truncated double
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    static const double table[8] = {0.5, 1.5, 9.25, 4, 2.75, 8, 16, 1};
    if (!(x >= 0 && x < 8)) return 0;
    if (table[(int)x] == 2.75) fputs("SOLVED\n", stderr);
    return 0;
}
