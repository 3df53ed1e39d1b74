//! what: float, double and long double in one expression
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if ((double)x * 0.1 + (long double)x == 11.0L * 0.1L || x * 0.1 + x == 4.4) fputs("SOLVED\n", stderr);
    return 0;
}
