//! what: the CRC instruction of SSE4.2
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <immintrin.h>

__attribute__((target("sse4.2")))
int main(void) {
    unsigned char in[4] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint32_t word;
    memcpy(&word, in, 4);
    if (_mm_crc32_u32(0, word) == 0xdeadbeef) fputs("SOLVED\n", stderr);
    return 0;
}
