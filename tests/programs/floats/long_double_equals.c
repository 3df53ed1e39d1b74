//! what: x87 extended precision: equality after a product
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    long double x = 0;
    if (fread(&x, 10, 1, stdin) != 1) return 0;
    if (x * x == 2.25L && x > 0) fputs("SOLVED\n", stderr);
    return 0;
}
