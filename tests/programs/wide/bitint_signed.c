//! what: sign extension out of _BitInt(11)
//! flags: -std=c2x
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[2] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    _BitInt(11) x = (_BitInt(11))(in[0] | (in[1] & 7) << 8);
    int y = x;
    if (y == -700) fputs("SOLVED\n", stderr);
    return 0;
}
