//! what: an order of four floats
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x, y, z, w;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (fread(&z, sizeof z, 1, stdin) != 1) return 0;
    if (fread(&w, sizeof w, 1, stdin) != 1) return 0;
    if (x < y && y < z && z < w && x > 0 && w < 1) fputs("SOLVED\n", stderr);
    return 0;
}
