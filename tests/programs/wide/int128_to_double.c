//! what: a 128-bit integer converted to a double
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    __int128 x;
    memcpy(&x, in, 16);
    if ((double)x == -36893488147419103232.0 && (x & 0xff) == 7) fputs("SOLVED\n", stderr);
    return 0;
}
