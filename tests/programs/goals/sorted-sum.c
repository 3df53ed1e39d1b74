//! what: assume(): an ascending list with a wanted sum, checked by nested helpers
//! runs: 300
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }
static void require(int cond) { assume_abort_if_not(cond); }

int main(void) {
    int before = 0, sum = 0;
    for (int i = 0; i < 6; i++) {
        int x = __VERIFIER_nondet_int();
        require(x > before);
        require(x < 1000);
        sum += x;
        before = x;
    }
    require(before == 977);
    require(sum % 11 == 7);
    __VERIFIER_assert(sum != 2020);
    return 0;
}
