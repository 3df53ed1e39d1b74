//! what: a dot product over arrays
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    float x, y, z;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (fread(&z, sizeof z, 1, stdin) != 1) return 0;
    float a[3] = {x, y, z}, b[3] = {1, 2, 3}, s = 0;
    for (int k = 0; k < 3; k++) s += a[k] * b[k];
    if (!(x > y && y > z)) return 0;
    if (s == 32) fputs("SOLVED\n", stderr);
    return 0;
}
