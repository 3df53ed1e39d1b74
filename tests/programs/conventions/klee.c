//! what: a KLEE program, as it is
//! goals: 2
#include <klee/klee.h>
#include <stdio.h>

static int weight(const int *items, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (items[i] % 2 == 0) sum += items[i];
    return sum;
}

int main(void) {
    int items[3], limit = klee_range(10, 100, "limit");
    klee_make_symbolic(items, sizeof items, "items");
    for (int i = 0; i < 3; i++) klee_assume(items[i] >= 0 & items[i] < 1000);
    int sum = weight(items, 3);
    if (sum == 1234) fputs("SOLVED 1\n", stderr);
    if (sum == limit && items[0] > items[1]) fputs("SOLVED 2\n", stderr);
    return 0;
}
