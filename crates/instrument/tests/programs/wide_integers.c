// Integers of 7 to 512 bits, bit-fields, packed and type-punned memory, checksums.
// flags: -O2 -g -w -std=c2x
// stdin: \x00\x00\x00\x00\x00\x00\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbfabcdefgh12345678\x80\xff\x01\x7f\x3c\x00\xc0\x55Hello, 12345 world! 3.25 and 17
// events: 300
#include <stdio.h>
#include <string.h>
#include <stdint.h>
static int seen; static unsigned char box[256];
__attribute__((noinline)) static void see(const void *p, int n) { memcpy(box, p, n); for (int i = 0; i < n; i++) { if (box[i] == 0x3f) seen++; if (box[i] & 1) seen += 3; } }
typedef unsigned __int128 u128; typedef __int128 i128;
#define SEE(x) { __typeof__(x) v_ = (x); see(&v_, sizeof v_); }
#define B(W, TAG) typedef _BitInt(W) i##TAG; typedef unsigned _BitInt(W) u##TAG; \
__attribute__((noinline)) static u##TAG mix##TAG(u##TAG a, u##TAG b, int k) { i##TAG s = (i##TAG)a, t = (i##TAG)b; switch (k) { case 0: return a + b; case 1: return a - b; case 2: return a * b; case 3: return b ? a / b : a; case 4: return b ? a % b : a; case 5: return t ? (u##TAG)(s / (t == (i##TAG)-1 ? (i##TAG)3 : t)) : a; case 6: return t ? (u##TAG)(s % (t == (i##TAG)-1 ? (i##TAG)3 : t)) : a; case 7: return a << (int)(b % W); case 8: return a >> (int)(b % W); case 9: return (u##TAG)(s >> (int)(b % W)); case 10: return a & b; case 11: return (a ^ b) | (a & ~b); case 12: return s < t ? a : b; case 13: return (a < b) + 2 * (a == b) + 4 * (s <= t); } return a; } \
static void run##TAG(const unsigned char *in) { u##TAG a = 0, b = 0; for (int i = 0; i < (W + 7) / 8; i++) { a |= (u##TAG)in[i] << (8 * i < W ? 8 * i : 0); b |= (u##TAG)in[i + 16] << (8 * i < W ? 8 * i : 0); } \
  for (int k = 0; k < 14; k++) { u##TAG r = mix##TAG(a, b, k); for (int i = 0; i < W; i += 7) if ((r >> i) & 1) seen += i; } }
B(7, 7) B(24, 24) B(37, 37) B(65, 65) B(100, 100) B(127, 127) B(128, x128) B(129, 129) B(200, 200) B(256, 256) B(512, 512)
struct bits { unsigned a : 3, b : 7, c : 22; signed d : 5; uint64_t e : 37, f : 27; _Bool g : 1; };
struct packed { char x; uint64_t y; uint16_t z; } __attribute__((packed));
union pun { float f; uint32_t u; unsigned char c[4]; uint16_t h[2]; };
int main(void) { unsigned char in[512] = {0}; fread(in, 1, 512, stdin);
 for (int k = 0; k < 1; k++) { const unsigned char *p = in + 40 * k; run7(p); run24(p); run37(p); run65(p); run100(p); run127(p); runx128(p); run129(p); run200(p); run256(p); run512(p);
  u128 a, b; memcpy(&a, p, 16); memcpy(&b, p + 16, 16); i128 s = a, t = b; u128 r; i128 q;
  SEE(a + b) SEE(a * b) SEE(a - b) if (b) { SEE(a / b) SEE(a % b) } if (t && t != -1) { SEE(s / t) SEE(s % t) } SEE(a << (p[0] & 127)) SEE(s >> (p[1] & 127)) SEE(a > b ? a : b)
  seen += __builtin_add_overflow(a, b, &r); SEE(r) seen += __builtin_mul_overflow(s, (i128)p[3], &q); SEE(q) seen += __builtin_sub_overflow(s, t, &q); SEE(q)
  SEE(__builtin_popcountll((uint64_t)a)) SEE(__builtin_clzll((uint64_t)b | 1)) SEE((double)a) SEE((double)s) SEE((float)a) SEE((long double)s)
  double d = p[0] * 1e20; SEE((u128)d) SEE((i128)-d) if (a == b) seen++; if (s < t) seen++;
  switch ((uint32_t)(a >> 96)) { case 5: seen++; break; case 77: seen += 2; break; case 0xffffffff: seen += 3; }
  struct bits z; memcpy(&z, p, sizeof z); z.a += 3; z.b = z.c; z.d -= z.a; z.e *= 3; z.f ^= z.e; z.g = z.f > 3; SEE(z) if (z.d < -3) seen++; if (z.e > 1000) seen++;
  struct packed y; memcpy(&y, p, sizeof y); y.y += y.x; y.z ^= (uint16_t)y.y; SEE(y)
  union pun w; memcpy(&w, p, 4); w.c[1] ^= 1; w.h[1] += 3; w.f *= 2; SEE(w.u)
  uint32_t un; memcpy(&un, p + 1, 4); un = un << 5 | un >> 27; un = __builtin_bswap32(un); SEE(un) uint64_t x = *(const uint64_t *)(p + 3); SEE(__builtin_bitreverse64(x)) SEE(__builtin_rotateleft64(x, p[0])) SEE((uint16_t)__builtin_bswap16((uint16_t)x)) SEE(__builtin_ctzll(x | 1ull << 63))
  unsigned crc = ~0u; for (int i = 0; i < 12; i++) { crc ^= p[i]; for (int j = 0; j < 8; j++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1; } SEE(crc)
  uint64_t h = 14695981039346656037ull; for (int i = 0; i < 12; i++) h = (h ^ p[i]) * 1099511628211ull; SEE(h) u128 m = (u128)h * x; SEE((uint64_t)(m >> 64) ^ (uint64_t)m)
 } printf("%d\n", seen); return 0; }
