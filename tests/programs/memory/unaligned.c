//! what: unaligned reads and writes of several widths
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint32_t a;
    uint64_t b;
    memcpy(&a, in + 9, 4);
    a += 0x01020304;
    memcpy(in + 3, &a, 4);
    memcpy(&b, in + 1, 8);
    if (b == 0x112233445566aabb) fputs("SOLVED\n", stderr);
    return 0;
}
