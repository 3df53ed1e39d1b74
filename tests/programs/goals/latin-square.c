//! what: assume(): a Latin square of order four with clues (Sudoku of four by four)
//! runs: 400
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    static const int clue[16] = {0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0};
    int a[16];
    for (int i = 0; i < 16; i++) {
        a[i] = __VERIFIER_nondet_int();
        assume_abort_if_not(a[i] >= 1 && a[i] <= 4);
        if (clue[i]) assume_abort_if_not(a[i] == clue[i]);
    }
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < i; j++) {
            int row = i / 4 == j / 4, column = i % 4 == j % 4;
            int box = i / 8 == j / 8 && i % 4 / 2 == j % 4 / 2;
            if (row || column || box) assume_abort_if_not(a[i] != a[j]);
        }
    __VERIFIER_assert(0);
    return 0;
}
