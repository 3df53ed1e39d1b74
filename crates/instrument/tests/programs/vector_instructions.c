// Vector instructions of x86-64 up to SSE4.2.
// flags: -O2 -g -w -msse4.2 -mpclmul
// stdin: \x00\x00\x00\x00\x00\x00\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbfabcdefgh12345678\x80\xff\x01\x7f\x3c\x00\xc0\x55Hello, 12345 world! 3.25 and 17
// events: 300
#include <stdio.h>
#include <string.h>
#include <stdint.h>
#include <immintrin.h>
static int seen; static unsigned char box[2048];
__attribute__((noinline)) static void see(const void *p, int n) { memcpy(box, p, n); for (int i = 0; i < n; i++) { if (box[i] == 0x3f) seen++; if (box[i] & 1) seen += 3; } }
#define SEE(x) { __typeof__(x) v_ = (x); see(&v_, sizeof v_); }
int main(void) { unsigned char in[1024] = {0}; fread(in, 1, 512, stdin); memcpy(in + 512, in, 512);
 for (int k = 0; k < 1; k++) { unsigned char *p = in + 19 * k;
 __m128i a = _mm_loadu_si128((void *)p), b = _mm_loadu_si128((void *)(p + 16)), n = _mm_cvtsi32_si128(p[5] & 31);
 __m128 f = _mm_castsi128_ps(a), g = _mm_castsi128_ps(b); __m128d d = _mm_castsi128_pd(a), e = _mm_castsi128_pd(b);
 SEE(_mm_movemask_epi8(a)) SEE(_mm_movemask_ps(f)) SEE(_mm_movemask_pd(d)) SEE(_mm_sad_epu8(a, b)) SEE(_mm_packs_epi16(a, b)) SEE(_mm_packs_epi32(a, b)) SEE(_mm_packus_epi16(a, b)) SEE(_mm_packus_epi32(a, b))
 SEE(_mm_shuffle_epi8(a, b)) SEE(_mm_shuffle_epi8(a, _mm_set_epi8(3,4,5,6,-1,7,1,1,2,15,14,13,0,-128,9,8))) SEE(_mm_mulhi_epi16(a, b)) SEE(_mm_mulhi_epu16(a, b)) SEE(_mm_mulhrs_epi16(a, b)) SEE(_mm_madd_epi16(a, b)) SEE(_mm_maddubs_epi16(a, b)) SEE(_mm_avg_epu8(a, b)) SEE(_mm_avg_epu16(a, b))
 SEE(_mm_slli_epi16(a, p[3] & 31)) SEE(_mm_srli_epi32(a, p[4] & 63)) SEE(_mm_srai_epi16(a, p[4] & 31)) SEE(_mm_sll_epi32(a, n)) SEE(_mm_srl_epi64(a, n)) SEE(_mm_sra_epi32(a, n)) SEE(_mm_slli_si128(a, 3)) SEE(_mm_sll_epi16(a, b))
 SEE(_mm_hadd_epi16(a, b)) SEE(_mm_hadd_epi32(a, b)) SEE(_mm_hsub_epi16(a, b)) SEE(_mm_sign_epi8(a, b)) SEE(_mm_sign_epi32(a, b)) SEE(_mm_abs_epi8(a)) SEE(_mm_alignr_epi8(a, b, 5)) SEE(_mm_mullo_epi16(a, b)) SEE(_mm_mul_epu32(a, b)) SEE(_mm_cmpeq_epi8(a, b)) SEE(_mm_cmpgt_epi16(a, b)) SEE(_mm_unpacklo_epi8(a, b)) SEE(_mm_adds_epu8(a, b)) SEE(_mm_subs_epi16(a, b)) SEE(_mm_max_epu8(a, b)) SEE(_mm_shuffle_epi32(a, 0x1b)) SEE(_mm_extract_epi16(a, 3)) SEE(_mm_testz_si128(a, b)) SEE(_mm_testc_si128(a, b))
 SEE(_mm_crc32_u8(7, p[1])) { uint32_t w; memcpy(&w, p, 4); SEE(_mm_crc32_u32(p[9], w)) uint64_t q; memcpy(&q, p, 8); SEE(_mm_crc32_u64(w, q)) unsigned long long o; seen += _addcarry_u64(p[0] & 1, q, w * 77777777777ull, &o); SEE(o) seen += _subborrow_u64(p[0] & 1, w, q, &o); SEE(o) }
 SEE(_mm_clmulepi64_si128(a, b, 0x10)) SEE(_mm_min_ps(f, g)) SEE(_mm_max_pd(d, e)) SEE(_mm_min_ss(f, g)) SEE(_mm_cmplt_ps(f, g)) SEE(_mm_cmpneq_pd(d, e)) SEE(_mm_cmple_sd(d, e)) SEE(_mm_add_ss(f, g)) SEE(_mm_round_ps(f, 1)) SEE(_mm_floor_sd(d, e)) SEE(_mm_blendv_epi8(a, b, n)) SEE(_mm_blendv_ps(f, g, g)) SEE(_mm_sqrt_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), d))) SEE(_mm_comilt_ss(f, g)) SEE(_mm_ucomineq_sd(d, e)) SEE(_mm_comieq_sd(d, d)) SEE(_mm_hadd_ps(f, g)) SEE(_mm_cvtps_pd(f)) SEE(_mm_cvtpd_ps(d)) SEE(_mm_cvtepi32_ps(a)) SEE(_mm_cvtss_f32(f))
 __m128 h = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(a)); h = _mm_mul_ps(h, _mm_set1_ps(0.37f)); SEE(_mm_cvtps_epi32(h)) SEE(_mm_cvttps_epi32(h)) SEE(_mm_cvtss_si32(h)) SEE(_mm_cvttss_si64(h)) SEE(_mm_cvtsd_si64(_mm_cvtps_pd(h)))
#ifdef __AVX2__
 __m256i A = _mm256_loadu_si256((void *)p), B = _mm256_loadu_si256((void *)(p + 33)); __m256 F = _mm256_castsi256_ps(A), G = _mm256_castsi256_ps(B);
 SEE(_mm256_shuffle_epi8(A, B)) SEE(_mm256_packs_epi16(A, B)) SEE(_mm256_movemask_epi8(A)) SEE(_mm256_sad_epu8(A, B)) SEE(_mm256_sllv_epi32(A, _mm256_and_si256(B, _mm256_set1_epi32(63)))) SEE(_mm256_hadd_epi16(A, B)) SEE(_mm256_mulhi_epi16(A, B)) SEE(_mm256_min_ps(F, G)) SEE(_mm256_cmp_ps(F, G, _CMP_NGE_UQ)) SEE(_mm256_blendv_epi8(A, B, B)) SEE(_mm256_round_ps(F, 2)) SEE(_mm256_testz_si256(A, B)) SEE(_mm256_permute2x128_si256(A, B, 0x21)) SEE(_mm256_add_epi8(A, B))
 { int buf[8]; memcpy(buf, p, 32); SEE(_mm256_maskload_epi32(buf, B)) _mm256_maskstore_epi32(buf, A, _mm256_add_epi8(B, B)); SEE(buf[1]) SEE(buf[6]) }
#endif
#ifdef __FMA__
 SEE(__builtin_fma(d[0], e[0], d[1])) SEE(d[0] * e[1] + d[1])
#endif
 } printf("%d\n", seen); return 0; }
