//! what: a digit of text under a power: the logic-bomb form
//! flags: -lm
//! seed: 9
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    char text[4] = {0};
    if (fread(text, 1, 1, stdin) != 1) return 0;
    double d = pow(3, pow(2, text[0] - '0'));
    if (d == 6561) fputs("SOLVED\n", stderr);
    return 0;
}
