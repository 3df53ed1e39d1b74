//! what: a sine in extended precision
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    long double x = 0;
    if (fread(&x, 10, 1, stdin) != 1) return 0;
    if (sinl(x) > 0.999L && x > 10 && x < 100) fputs("SOLVED\n", stderr);
    return 0;
}
