//! what: an error when a loop turned 1,000 times, as often as a typed value says
//! runs: 3000
//! finding: abort
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), turns = 0;
    if (n < 0 || n > 5000) return 0;
    for (int k = 0; k < n; k++)
        turns += 2;
    if (turns == 2000)
        abort();
    return 0;
}
