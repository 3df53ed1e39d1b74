//! what: 128-bit compare and exchange, in line with -mcx16
//! flags: -mcx16
#include <stdio.h>
#include <string.h>
static _Alignas(16) unsigned __int128 pair;
int main(void) {
    unsigned long w[2];
    if (fread(w, 8, 2, stdin) != 2) return 0;
    unsigned __int128 wanted = ((unsigned __int128)w[1] << 64) | w[0];
    unsigned __int128 old = __sync_val_compare_and_swap(&pair, 0, wanted);
    unsigned __int128 now = __sync_val_compare_and_swap(&pair, wanted, old + 1);
    if ((unsigned long)(now >> 64) == 0x1122334455667788 && (unsigned long)now == 0x99) fputs("SOLVED\n", stderr);
    return 0;
}
