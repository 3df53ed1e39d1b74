//! what: a CRC-32 of three bytes by table has a given value
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];
int main(void) {
    unsigned char in[3] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    uint32_t crc = ~0u;
    for (int i = 0; i < 3; i++) crc = table[(crc ^ in[i]) & 0xff] ^ crc >> 8;
    if (~crc == 0x617e61a6) fputs("SOLVED\n", stderr);
    return 0;
}
