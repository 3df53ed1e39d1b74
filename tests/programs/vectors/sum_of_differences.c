//! what: sums of absolute differences, multiplied and packed
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <emmintrin.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    __m128i x = _mm_loadu_si128((const __m128i *)in), y = _mm_set1_epi8(100);
    __m128i sums = _mm_sad_epu8(x, y);
    __m128i packed = _mm_packs_epi32(_mm_madd_epi16(x, x), x);
    if (_mm_cvtsi128_si32(sums) == 321 && _mm_extract_epi16(packed, 0) == 0x1234) fputs("SOLVED\n", stderr);
    return 0;
}
