//! what: a digit of text as a float: the logic-bomb form
//! flags: -lm
//! seed: 5
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    char text[4] = {0};
    if (fread(text, 1, 1, stdin) != 1) return 0;
    float x = (text[0] - '0') / 10.0f;
    if (x + 0.1f == 0.8f) fputs("SOLVED\n", stderr);
    return 0;
}
