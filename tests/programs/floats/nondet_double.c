//! what: doubles of a Test-Comp task
//! flags: -lm
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    float y = __VERIFIER_nondet_float();
    if (x > 1.5 && x < 1.75 && y == x * 2) fputs("SOLVED\n", stderr);
    return 0;
}
