//! what: the payload of what is not a number survives arithmetic
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    double y = x + 1;
    unsigned long bits;
    memcpy(&bits, &y, 8);
    if (y != y && (bits & 0xffff) == 0xbeef) fputs("SOLVED\n", stderr);
    return 0;
}
