//! what: atomics that are calls of libatomic: 16 bytes without -mcx16, and odd sizes
//! flags: -Wno-atomic-alignment -latomic
//! goals: 2
#include <stdio.h>
struct three { unsigned char c[24]; };
static struct three shared;
static _Alignas(16) unsigned __int128 wide;
int main(void) {
    struct three mine = {{0}}, got;
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    mine.c[17] = b[0];
    mine.c[3] = b[1];
    __atomic_store(&shared, &mine, __ATOMIC_SEQ_CST);
    __atomic_load(&shared, &got, __ATOMIC_SEQ_CST);
    if (got.c[17] * 256 + got.c[3] == 0x4d2e) fputs("SOLVED 1\n", stderr);
    unsigned __int128 v = (unsigned __int128)b[2] << 100;
    __atomic_store_n(&wide, v, __ATOMIC_SEQ_CST);
    if ((unsigned)(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) >> 96) == b[3] * 16 && b[3] == 0xe1) fputs("SOLVED 2\n", stderr);
    return 0;
}
