//! what: assume(): the magic square of order three (Lo Shu)
//! runs: 300
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    int a[9];
    for (int i = 0; i < 9; i++) {
        a[i] = __VERIFIER_nondet_int();
        assume_abort_if_not(a[i] >= 1);
        assume_abort_if_not(a[i] <= 9);
        for (int j = 0; j < i; j++) assume_abort_if_not(a[i] != a[j]);
    }
    for (int i = 0; i < 3; i++) {
        assume_abort_if_not(a[3 * i] + a[3 * i + 1] + a[3 * i + 2] == 15);
        assume_abort_if_not(a[i] + a[i + 3] + a[i + 6] == 15);
    }
    assume_abort_if_not(a[0] + a[4] + a[8] == 15);
    __VERIFIER_assert(a[2] + a[4] + a[6] != 15);
    return 0;
}
