//! what: thresholds of doubles
//! goals: 3
#include <stdio.h>
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double now = __VERIFIER_nondet_double(), wanted = __VERIFIER_nondet_double();
    if (!(now > -50.0 && now < 80.0) || !(wanted >= 5.0 && wanted <= 30.0)) return 1;
    double gap = wanted - now;
    if (gap > 0.5) fputs("SOLVED heat\n", stderr);
    else if (gap < -0.5) fputs("SOLVED cool\n", stderr);
    else if (gap == 0.25) fputs("SOLVED rest\n", stderr);
    return 0;
}
