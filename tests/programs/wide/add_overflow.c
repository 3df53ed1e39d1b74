//! what: unsigned 128-bit addition overflows
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[32] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    unsigned __int128 x, y, sum;
    memcpy(&x, in, 16);
    memcpy(&y, in + 16, 16);
    if (__builtin_add_overflow(x, y, &sum) && sum == 41 && x < y) fputs("SOLVED\n", stderr);
    return 0;
}
