//! what: assume(): four bytes with a wanted check sum
//! runs: 300
//! options: --until paths
#include <stdio.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

int main(void) {
    unsigned char c[4];
    unsigned short sum = 0xffff;
    for (int i = 0; i < 4; i++) {
        c[i] = __VERIFIER_nondet_uchar();
        assume_abort_if_not(c[i] >= 'a');
        assume_abort_if_not(c[i] <= 'z');
        sum ^= (unsigned short)(c[i] << 8);
        for (int k = 0; k < 8; k++) sum = (unsigned short)(sum << 1 ^ (0x1021 & -(sum >> 15)));
    }
    assume_abort_if_not(c[0] < c[1]);
    __VERIFIER_assert(sum != 0x3c66);
    return 0;
}
