//! what: a float changed through its bytes in a union
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union view {
    float f;
    uint16_t halves[2];
    unsigned char bytes[4];
};

int main(void) {
    unsigned char in[4] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    union view v;
    memcpy(&v, in, 4);
    v.bytes[3] ^= 0x80;
    v.halves[0] += 1;
    if (v.f == -1.5f) fputs("SOLVED\n", stderr);
    return 0;
}
