//! what: assume(): SEND + MORE = MONEY (Dudeney, Strand Magazine, July 1924)
//! runs: 300
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

static int digit(void) {
    int d = __VERIFIER_nondet_int();
    assume_abort_if_not(d >= 0 && d <= 9);
    return d;
}

int main(void) {
    int v[8];
    for (int i = 0; i < 8; i++) v[i] = digit();
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) assume_abort_if_not(v[i] != v[j]);
    int s = v[0], e = v[1], n = v[2], d = v[3], m = v[4], o = v[5], r = v[6], y = v[7];
    assume_abort_if_not(s != 0 && m != 0);
    int send = s * 1000 + e * 100 + n * 10 + d, more = m * 1000 + o * 100 + r * 10 + e;
    __VERIFIER_assert(send + more != m * 10000 + o * 1000 + n * 100 + e * 10 + y);
    return 0;
}
