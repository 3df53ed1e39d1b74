//! what: a point given by angle and distance
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x, y;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (hypot(x, y) == 5 && atan2(y, x) > 0.92 && atan2(y, x) < 0.93) fputs("SOLVED\n", stderr);
    return 0;
}
