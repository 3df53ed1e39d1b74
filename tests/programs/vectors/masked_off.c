//! what: a masked load whose lanes are off in the first run
//! gap: a lane that is off has no value in that run, so nothing tells the solver what it would read
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <immintrin.h>

__attribute__((target("avx2")))
int main(void) {
    unsigned char in[32] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    int data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0};
    __m256i mask = _mm256_loadu_si256((const __m256i *)in);
    _mm256_storeu_si256((__m256i *)out, _mm256_maskload_epi32(data, mask));
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += out[i] << i;
    if (sum == 2 * 2 + 4 * 8 + 8 * 128) fputs("SOLVED\n", stderr);
    return 0;
}
