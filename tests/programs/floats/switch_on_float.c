//! what: a switch over a truncated float
//! flags: -lm
//! seed: \x00\x00\x00\x00
//! goals: 3
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    float x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    switch ((int)(x * 10)) {
    case 15: fputs("SOLVED 1\n", stderr); break;
    case -20: fputs("SOLVED 2\n", stderr); break;
    case 1000000: fputs("SOLVED 3\n", stderr); break;
    }
    return 0;
}
