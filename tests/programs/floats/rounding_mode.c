//! what: the program rounds upwards
//! flags: -frounding-math -lm
//! gap: while another rounding direction is set, floats are concrete
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fenv.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    fesetround(FE_UPWARD);
    if (1 / x == 0.33333333333333337 && x == 3) fputs("SOLVED\n", stderr);
    return 0;
}
