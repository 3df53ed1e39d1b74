//! what: truncation of a negative number
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (truncf(x) == -7 && x < -7.5f) fputs("SOLVED\n", stderr);
    return 0;
}
