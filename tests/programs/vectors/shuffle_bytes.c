//! what: bytes shuffled by a table of input
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <immintrin.h>

__attribute__((target("ssse3")))
int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    __m128i text = _mm_loadu_si128((const __m128i *)in);
    __m128i hex = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)"0123456789abcdef"), text);
    char out[16];
    _mm_storeu_si128((__m128i *)out, hex);
    if (memcmp(out, "c0ffee", 6) == 0 && out[15] == 0) fputs("SOLVED\n", stderr);
    return 0;
}
