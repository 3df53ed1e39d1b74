//! what: a lookup table applied twice
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
static const unsigned char sbox[64] = {
    29, 11, 3, 54, 61, 8, 40, 17, 22, 49, 35, 0, 13, 58, 6, 44, 19, 27, 51, 33, 2, 60, 38, 9, 15, 47, 24, 56, 31, 5, 42, 20,
    12, 63, 1, 36, 50, 28, 7, 45, 18, 53, 26, 39, 10, 62, 21, 4, 55, 30, 14, 48, 25, 59, 37, 16, 43, 23, 57, 32, 46, 34, 52, 41};
int main(void) {
    unsigned char in[2];
    if (read(0, in, 2) != 2) return 0;
    unsigned x = sbox[sbox[in[0] & 63] ^ (in[1] & 63)];
    if (x == 57 && in[0] == 17 && in[1] < 64) fputs("SOLVED\n", stderr);
    return 0;
}
