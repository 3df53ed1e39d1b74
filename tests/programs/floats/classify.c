//! what: all five classes of floats
//! flags: -lm
//! seed: \x00\x00\x00\x00
//! goals: 5
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    switch (fpclassify(x)) {
    case FP_NAN: fputs("SOLVED 1\n", stderr); break;
    case FP_INFINITE: fputs("SOLVED 2\n", stderr); break;
    case FP_ZERO: fputs("SOLVED 3\n", stderr); break;
    case FP_SUBNORMAL: fputs("SOLVED 4\n", stderr); break;
    default: fputs("SOLVED 5\n", stderr);
    }
    return 0;
}
