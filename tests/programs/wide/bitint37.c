//! what: arithmetic in _BitInt(37) wraps at 37 bits
//! flags: -std=c2x
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned _BitInt(37) u37;
int main(void) {
    unsigned char in[5] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    u37 x = 0;
    for (int i = 0; i < 5; i++) x |= (u37)in[i] << (8 * i);
    u37 y = x * 3 + 1;
    if (y == 5 && x > 1000) fputs("SOLVED\n", stderr);
    return 0;
}
