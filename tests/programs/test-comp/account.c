//! what: deposits and withdrawals up to an exact balance
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    long balance = 100;
    for (int k = 0; k < 3; k++) {
        int amount = __VERIFIER_nondet_int();
        if (amount <= 0 || amount > 10000) return 1;
        if (__VERIFIER_nondet_bool()) balance += amount;
        else if (balance >= amount) balance -= amount;
        else return 2;
    }
    if (balance == 12345) fputs("SOLVED\n", stderr);
    return 0;
}
