//! what: a float and an integer that must agree
#include <stdio.h>
extern float __VERIFIER_nondet_float(void);
extern short __VERIFIER_nondet_short(void);

int main(void) {
    float weight = __VERIFIER_nondet_float();
    short grams = __VERIFIER_nondet_short();
    if (grams <= 1000) return 1;
    if (weight * 1000.0f == (float)grams && weight < 3.0f) fputs("SOLVED\n", stderr);
    return 0;
}
