//! what: double to float and back loses bits
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if ((double)(float)x != x && (float)x == 0.1f) fputs("SOLVED\n", stderr);
    return 0;
}
