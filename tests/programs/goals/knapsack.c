//! what: assume(): a knapsack filled to the last ounce
//! runs: 300
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    static const int weight[12] = {831, 1297, 3049, 421, 977, 2203, 163, 709, 1511, 2861, 89, 1733};
    int sum = 0, things = 0;
    for (int i = 0; i < 12; i++) {
        int take = __VERIFIER_nondet_int();
        assume_abort_if_not(take >= 0);
        assume_abort_if_not(take <= 1);
        sum += take * weight[i];
        things += take;
    }
    assume_abort_if_not(things == 5);
    __VERIFIER_assert(sum != 831 + 2203 + 163 + 1511 + 89);
    return 0;
}
