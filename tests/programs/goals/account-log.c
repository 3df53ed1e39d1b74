//! what: assume(): a protocol of deposits and withdrawals that ends at zero
//! runs: 400
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    unsigned int balance = 0;
    int steps = 0;
    for (int i = 0; i < 6; i++) {
        int amount = __VERIFIER_nondet_int();
        assume_abort_if_not(amount != 0);
        assume_abort_if_not(amount > -1000 && amount < 1000);
        assume_abort_if_not(amount > 0 || balance >= (unsigned)-amount);
        balance += amount;
        steps += balance % 7 == 3;
    }
    assume_abort_if_not(steps == 4);
    __VERIFIER_assert(balance != 0);
    return 0;
}
