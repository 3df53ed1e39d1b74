//! what: Euclid's algorithm with a wanted result
#include <stdio.h>
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a > 500 || b > 500 || a < 100 || b < 100) return 1;
    int rounds = 0;
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
        rounds++;
    }
    if (rounds >= 4) fputs("SOLVED\n", stderr);
    return 0;
}
