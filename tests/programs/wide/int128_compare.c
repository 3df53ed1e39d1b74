//! what: signed 128-bit comparison with both ends tight
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    __int128 x;
    memcpy(&x, in, 16);
    __int128 low = -((__int128)5 << 100);
    if (x > low && x < low + 3 && (x & 1)) fputs("SOLVED\n", stderr);
    return 0;
}
