// Zeros of zero: undefined in C, and a register's old content to code generators; the expression and the program must agree all the same.
// stdin: \x00\x00\x00\x00
// events: 4
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static int leading(uint32_t a) { return __builtin_clz(a); }
int main(void) {
  unsigned char in[4] = {1}; fread(in, 1, 4, stdin); volatile int seen = 0;
  uint32_t a; memcpy(&a, in, 4);
  if (leading(a) & 0x1f) seen = 1; if (leading(a * 7) & 0x1e) seen = 2; if (leading(a >> 3) & 0x17) seen = 3; if (__builtin_ctz(a) & 0x1f) seen = 4;
  return 0;
}
