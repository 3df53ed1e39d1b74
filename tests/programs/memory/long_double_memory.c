//! what: a long double through its ten bytes
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[10] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    long double x = 0;
    memcpy(&x, in, 10);
    if (x == 1234.5L) fputs("SOLVED\n", stderr);
    return 0;
}
