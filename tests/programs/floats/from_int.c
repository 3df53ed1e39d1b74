//! what: an integer as a float, scaled
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    int x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x * 0.1f == 1234.5f) fputs("SOLVED\n", stderr);
    return 0;
}
