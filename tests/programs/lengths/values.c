//! what: an error after exactly 700 typed values that are not zero
//! runs: 3000
//! finding: abort
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int turns = 0;
    while (turns < 2000 && __VERIFIER_nondet_int() != 0)
        turns++;
    if (turns == 700)
        abort();
    return 0;
}
