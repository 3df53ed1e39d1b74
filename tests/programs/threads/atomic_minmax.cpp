//! what: atomic minimum and maximum, signed and unsigned, wrapping increments, and-not
//! goals: 2
#include <cstdio>
int main() {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    int lo = 100, hi = -100;
    unsigned u = 50;
    __atomic_fetch_min(&lo, (signed char)b[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&hi, (signed char)b[1], __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&u, (unsigned)b[2], __ATOMIC_RELAXED);
    __atomic_fetch_nand(&u, 0xf0u, __ATOMIC_RELAXED);
    if (lo == -77 && hi == 99) fputs("SOLVED 1\n", stderr);
    if (u == ~(0xd7u & 0xf0u) && b[2] == 0xd7 && b[3] == (u >> 24) - 1) fputs("SOLVED 2\n", stderr);
    return 0;
}
