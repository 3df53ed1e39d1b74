//! what: half precision arithmetic
//! flags: -lm
//! seed: \x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    _Float16 x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (x * x + (_Float16)1 == (_Float16)5) fputs("SOLVED\n", stderr);
    return 0;
}
