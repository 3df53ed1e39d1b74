// Integer arithmetic of every width, signed and unsigned, casts, shifts, divisions.
// stdin: \x01\x02\x83\x04\xf5\x06\x77\x08\x99\x0a\xbb\x0c\xdd\x0e\xff\x10abcdefghijklmnop
// stdin: \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00
// events: 40
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define TEST(T, a, b) do { T x = (T)(a), y = (T)(b); \
  if (x + y > 10) r ^= 1; if (x - y > 3) r ^= 2; if (x * y < 99) r ^= 4; \
  if (y != 0 && y != (T)-1) { if (x / y == 2) r ^= 8; if (x % y == 1) r ^= 16; } \
  if ((T)(x << (y & 7)) > 5) r ^= 32; if ((x >> (y & 7)) > 5) r ^= 64; \
  if ((x & y) == 3) r ^= 128; if ((x | y) == 7) r ^= 256; if ((x ^ y) > 9) r ^= 512; r = r * 3 + 1; } while (0)
int main(void) {
  unsigned char in[32] = {0};
  size_t n = fread(in, 1, 32, stdin);
  unsigned r = (unsigned)n;
  uint64_t a, b, c, d; memcpy(&a, in, 8); memcpy(&b, in + 8, 8); memcpy(&c, in + 16, 8); memcpy(&d, in + 24, 8);
  TEST(int8_t, a, b); TEST(uint8_t, a, b); TEST(int16_t, a, c); TEST(uint16_t, b, c);
  TEST(int32_t, a, d); TEST(uint32_t, c, d); TEST(int64_t, a, b); TEST(uint64_t, c, d);
  __int128 e = (__int128)a << 64 | b, f = (__int128)c * d;
  TEST(__int128, e, f); TEST(unsigned __int128, e, f);
  printf("%u\n", r);
  return r & 63;
}
