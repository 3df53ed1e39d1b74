//! what: a denormal float in a range
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x > 1e-42f && x * 2 < 2.1e-42f) fputs("SOLVED\n", stderr);
    return 0;
}
