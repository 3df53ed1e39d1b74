//! what: packed flags and fields of a word
#include <stdio.h>
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
    unsigned long word = __VERIFIER_nondet_ulong();
    unsigned version = word >> 60, length = word >> 32 & 0xffff, sum = word & 0xff;
    if (version != 9) return 1;
    if (length < 300 || length % 7 != 0) return 2;
    if ((word >> 50 & 3) == 2 && sum == (version ^ (length & 0xff) ^ 0x5a)) fputs("SOLVED\n", stderr);
    return 0;
}
