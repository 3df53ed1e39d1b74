//! what: assume(): eight queens (Bezzel, Berliner Schachzeitung, 1848)
//! runs: 400
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    int row[8];
    for (int i = 0; i < 8; i++) {
        row[i] = __VERIFIER_nondet_int();
        assume_abort_if_not(row[i] >= 0 && row[i] < 8);
        for (int j = 0; j < i; j++) {
            int far = i - j, apart = row[i] - row[j];
            assume_abort_if_not(apart != 0);
            assume_abort_if_not(apart != far);
            assume_abort_if_not(apart != -far);
        }
    }
    __VERIFIER_assert(0);
    return 0;
}
