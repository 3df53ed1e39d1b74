//! what: the bit trick for an inverse square root
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (!(x > 0)) return 0;
    float h = 0.5f * x, y = x;
    int i;
    memcpy(&i, &y, 4);
    i = 0x5f3759df - (i >> 1);
    memcpy(&y, &i, 4);
    y = y * (1.5f - h * y * y);
    if (y > 0.333f && y < 0.3333f) fputs("SOLVED\n", stderr);
    return 0;
}
