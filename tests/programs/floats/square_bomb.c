//! what: x * x just above two: the logic-bomb form
//! flags: -lm
//! seed: \x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    int n;
    if (fread(&n, sizeof n, 1, stdin) != 1) return 0;
    double x = n / 70.0;
    double b = 0.1;
    if (x != 0.1 && x - b == 0) fputs("WRONG\n", stderr);
    if (x * x > 2.0 && x * x < 2.01 && x > 0) fputs("SOLVED\n", stderr);
    return 0;
}
