//! what: atomic addition of floats, which clang makes a compare-and-exchange loop or an atomicrmw fadd
#include <stdatomic.h>
#include <stdio.h>
static _Atomic double total;
int main(void) {
    short a, b;
    if (fread(&a, 2, 1, stdin) != 1 || fread(&b, 2, 1, stdin) != 1) return 0;
    total += a * 0.25;
    total += b;
    if (total == 4321.75) fputs("SOLVED\n", stderr);
    return 0;
}
