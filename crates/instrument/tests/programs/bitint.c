// _BitInt of odd widths, in registers and in memory.
// flags: -O2 -g -std=c2x
// events: 3
#include <stdio.h>
#include <string.h>
typedef _BitInt(37) i37; typedef unsigned _BitInt(100) u100; typedef unsigned _BitInt(17) u17;
struct s { u17 a; u100 b; i37 c; };
__attribute__((noinline)) static u100 mix(struct s *p, unsigned char *in) {
  p->a = (u17)(in[0] * 257 + in[1]); p->b = (u100)in[2] << 90 | in[3]; p->c = (i37)in[4] * in[5] - 70000;
  return p->b + p->a * (u100)3;
}
int main(void) {
  unsigned char in[16] = {0}; struct s x; fread(in, 1, 16, stdin);
  u100 m = mix(&x, in);
  if (m > (u100)12345 << 80) puts("big");
  if (x.c < 0) puts("negative");
  if ((x.a & 3) == 1) puts("one");
  printf("%llu %d\n", (unsigned long long)m, (int)x.c);
  return 0;
}
