//! what: a double built from its sign, exponent and fraction
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint64_t bits = (uint64_t)(in[0] & 1) << 63 | (uint64_t)(in[1] | (in[2] & 7) << 8) << 52 | (uint64_t)in[3] << 44;
    double d;
    memcpy(&d, &bits, 8);
    if (d == -10.25) fputs("SOLVED\n", stderr);
    return 0;
}
