//! what: the same in a small heap block
//! seed: \0\0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    unsigned char in[2];
    int *p = calloc(20, sizeof *p);
    if (!p || read(0, in, 2) != 2) return 0;
    p[in[0] % 20] = in[1] ^ 0x33;
    if (p[17] == 0x77) fputs("SOLVED\n", stderr);
    free(p);
    return 0;
}
