//! what: a CRC-32 of four bytes, bit by bit, has a given value
//! gap: every ?: is a decision that a path keeps, and 32 of them fix all four bytes
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[4] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint32_t crc = ~0u;
    for (int i = 0; i < 4; i++) {
        crc ^= in[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    if (~crc == 0x9be3e0a3) fputs("SOLVED\n", stderr);
    return 0;
}
