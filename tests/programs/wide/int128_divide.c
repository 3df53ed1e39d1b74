//! what: a 128-bit quotient and remainder
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    unsigned __int128 x;
    memcpy(&x, in, 16);
    unsigned __int128 million = (unsigned __int128)1000000 << 60;
    if (x / million == 77 && x % million == 123456789) fputs("SOLVED\n", stderr);
    return 0;
}
