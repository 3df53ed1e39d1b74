//! what: the mask of equal bytes, as in a search of 16 bytes at once
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <emmintrin.h>

int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    __m128i text = _mm_loadu_si128((const __m128i *)in);
    int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('x')));
    if (mask == 0x8421) fputs("SOLVED\n", stderr);
    return 0;
}
