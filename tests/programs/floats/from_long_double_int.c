//! what: integers through long double keep 64 bits
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    int x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if ((long)((long double)x * 1000000007.0L) == 123456789L * 1000000007L) fputs("SOLVED\n", stderr);
    return 0;
}
