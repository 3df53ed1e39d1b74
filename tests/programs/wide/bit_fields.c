//! what: bit-fields of several widths in one structure
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct fields {
    unsigned a : 3, b : 7;
    signed s : 5;
    uint64_t long_one : 37, rest : 12;
};

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    struct fields f;
    memcpy(&f, in, sizeof f);
    f.b += 5;
    f.s -= 1;
    if (f.a == 5 && f.b == 2 && f.s == -9 && f.long_one == 0x123456789) fputs("SOLVED\n", stderr);
    return 0;
}
