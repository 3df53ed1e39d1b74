//! what: 0.1 + 0.2 is not 0.3
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x + 0.2 != 0.3 && x + 0.2 > 0.3 && x + 0.2 < 0.3000000000000001 && x == 0.1) fputs("SOLVED\n", stderr);
    return 0;
}
