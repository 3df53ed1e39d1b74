//! what: binary search in a sorted array whose middle is input
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int a[7] = {-300, -20, 0, 0, 0, 4000, 50000};
    for (int i = 2; i < 5; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(a[i] > a[i - 1]);
    }
    __VERIFIER_assume(a[4] < a[5]);
    int key = __VERIFIER_nondet_int(), low = 0, high = 6, steps = 0;
    while (low <= high) {
        int middle = (low + high) / 2;
        steps++;
        if (a[middle] == key) {
            if (steps == 3 && middle == 4) fputs("SOLVED\n", stderr);
            return 0;
        }
        if (a[middle] < key) low = middle + 1;
        else high = middle - 1;
    }
    return 1;
}
