//! what: compare and exchange: success and failure decided by the input, what is stored afterwards
//! goals: 3
#include <stdatomic.h>
#include <stdio.h>
static _Atomic int slot;
int main(void) {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    atomic_store(&slot, b[0] * 3);
    int expected = 0x99;
    if (atomic_compare_exchange_strong(&slot, &expected, b[1] + 1000)) {
        fputs("SOLVED 1\n", stderr);
        if (slot == 1100) fputs("SOLVED 2\n", stderr);
    } else if (expected == 3 * 'u' && b[2] == 'w') fputs("SOLVED 3\n", stderr);
    return 0;
}
