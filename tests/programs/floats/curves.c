//! what: where a circle meets an exponential curve, twice
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
//! goals: 2
#include <math.h>
#include <stdio.h>

int main(void) {
    double x, y;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (fread(&y, sizeof y, 1, stdin) != 1) return 0;
    if (fabs(x * x + y * y - 4.0) < 1e-12 && fabs(exp(x) + y - 1.0) < 1e-12) {
        if (x > 0.0) fputs("SOLVED right\n", stderr);
        else fputs("SOLVED left\n", stderr);
    }
    return 0;
}
