// Bit builtins, overflow builtins, saturation, rotations, min and max, vectors.
// stdin: \x12\x34\x56\x78\x9a\xbc\xde\xf0\x0f\xed\xcb\xa9\x87\x65\x43\x21AAAABBBBCCCCDDDD
// events: 20
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef int v4 __attribute__((vector_size(16))); typedef unsigned char v16 __attribute__((vector_size(16)));
int main(void) {
  unsigned char in[32] = {0}; fread(in, 1, 32, stdin); int r = 0;
  uint32_t a, b; uint64_t c; memcpy(&a, in, 4); memcpy(&b, in + 4, 4); memcpy(&c, in + 8, 8);
  if (__builtin_popcount(a) == 13) r |= 1; if (a && __builtin_clz(a) == 1) r |= 2; if (c && __builtin_ctzll(c) == 0) r |= 4;
  if (__builtin_bswap32(a) == 0x12345678) r |= 8; if (__builtin_bswap64(c) > 99) r |= 16; if (__builtin_bitreverse32(b) > 5) r |= 32;
  int s; unsigned u; long long l; if (__builtin_add_overflow((int)a, (int)b, &s)) r |= 64; if (s > 7) r |= 128;
  if (__builtin_mul_overflow(a, b, &u)) r |= 256; if (u == 3) r |= 512; if (__builtin_sub_overflow((long long)c, (long long)a, &l)) r |= 1024; if (l < 0) r |= 2048;
  unsigned sat = a + b < a ? ~0u : a + b; if (sat > 0xf0000000u) r |= 4096;
  if ((a << (b & 31) | a >> (-b & 31)) > 1000) r |= 8192; uint8_t m = in[0] > in[1] ? in[0] : in[1]; if (m == 0x34) r |= 16384;
  int sa = (int)a < 0 ? -(int)a : (int)a; if (sa > 100) r |= 32768;
  v4 x, y; memcpy(&x, in, 16); memcpy(&y, in + 16, 16); x = x * y + (x ^ y); v4 z = __builtin_shufflevector(x, y, 3, 5, 0, 6);
  if (z[0] > 0) r |= 65536; if (z[1] == 0x42424242) r |= 1 << 17; if (x[in[0] & 3] > 5) r |= 1 << 18;
  v16 p; memcpy(&p, in, 16); v16 q = p > 100; unsigned char any = 0; for (int i = 0; i < 16; i++) any |= q[i]; if (any) r |= 1 << 19;
  p[in[1] & 15] = in[2]; if (p[4] == 0x9a) r |= 1 << 20;
  if (__builtin_reduce_add((v4)y) == 7) r |= 1 << 21; v4 w = __builtin_elementwise_max(x, y); if (w[2] > 3) r |= 1 << 22;
  _Bool f = in[3]; if (f ^ (in[4] > 3)) r |= 1 << 23;
  printf("%d\n", r); return 0;
}
