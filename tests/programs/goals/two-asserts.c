//! what: assume(): the second of two assertions fails, behind a check that loops for ever
//! runs: 300
//! options: --until paths --timeout 200ms
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume(int cond) { if (!cond) { LOOP: goto LOOP; } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    assume(x > 100);
    assume(x < 200);
    __VERIFIER_assert(x != 250);
    assume(y > x * 3);
    assume(y < 400);
    __VERIFIER_assert(x + y != 463);
    return 0;
}
