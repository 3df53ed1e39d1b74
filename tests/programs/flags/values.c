//! what: three flags set by typed commands, in nested conditions
//! runs: 6000
//! finding: abort
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int t, f, p;

static void command(int what) {
    if (what == 1001) {
        t++;
    } else if (what == 1002) {
        if (__VERIFIER_nondet_int() == 77)
            f = 3;
    } else if (what == 1003) {
        p = __VERIFIER_nondet_int() < -5 ? 7 : 2;
    }
}

int main(void) {
    for (int k = 0; k < 12; k++)
        command(__VERIFIER_nondet_int());
    if (t == 5) {
        if (f == 3) {
            if (p == 7)
                abort();
        }
    }
    return 0;
}
