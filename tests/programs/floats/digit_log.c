//! what: a digit of text under a logarithm: the logic-bomb form
//! flags: -lm
//! seed: 5
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    char text[4] = {0};
    if (fread(text, 1, 1, stdin) != 1) return 0;
    double d = log(text[0] - '0');
    if (2 < d && d < 4) fputs("SOLVED\n", stderr);
    return 0;
}
