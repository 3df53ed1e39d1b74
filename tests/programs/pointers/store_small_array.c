//! what: a store through an input-dependent index updates the whole array; a later read elsewhere sees it
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[2], flags[16] = {0};
    if (read(0, in, 2) != 2) return 0;
    flags[in[0] & 15] = in[1];
    if (flags[11] == 0x5a) fputs("SOLVED\n", stderr);
    return 0;
}
