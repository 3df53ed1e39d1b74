//! what: a 200-bit integer compared as a whole
//! flags: -std=c2x
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[25] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    unsigned _BitInt(200) x = 0;
    for (int i = 0; i < 25; i++) x = x << 8 | in[i];
    unsigned _BitInt(200) want = (unsigned _BitInt(200))0xabcdef << 170 | 0x42;
    if (x == (want ^ (want >> 33))) fputs("SOLVED\n", stderr);
    return 0;
}
