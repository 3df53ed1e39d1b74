//! what: atomic read-modify-write operations on symbolic memory
//! goals: 3
#include <stdatomic.h>
#include <stdio.h>
static _Atomic unsigned word;
static _Atomic unsigned char byte;
static _Atomic long wide;
int main(void) {
    unsigned char b[5];
    if (fread(b, 1, 5, stdin) != 5) return 0;
    atomic_fetch_add(&word, b[0] * 256u);
    atomic_fetch_or(&word, b[1]);
    atomic_fetch_xor(&word, 0x55aa);
    unsigned before = atomic_fetch_sub(&word, 7);
    if (before == 0xcafe) fputs("SOLVED 1\n", stderr);
    atomic_exchange(&byte, b[2]);
    unsigned char old = atomic_fetch_and(&byte, 0x3f);
    if (old == 0xd9 && atomic_load(&byte) == 0x19 && b[3] == old - 9) fputs("SOLVED 2\n", stderr);
    atomic_store(&wide, -5000000000L * b[4]);
    if (atomic_fetch_add(&wide, 1) == -615000000000L) fputs("SOLVED 3\n", stderr);
    return 0;
}
