//! what: a digit of text under a sine: the logic-bomb form
//! flags: -lm
//! seed: 00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#define PI 3.14159265358979323846264338327
int main(void) {
    char text[4] = {0};
    if (fread(text, 1, 2, stdin) != 2) return 0;
    int v = (text[0] - '0') * 10 + text[1] - '0';
    if (v < 0 || v > 99) return 0;
    float x = sin(v * PI / 30);
    if (x > 0.58f && x < 0.59f) fputs("SOLVED\n", stderr);
    return 0;
}
