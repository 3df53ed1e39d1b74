// Inline assembly with labelled operands: values behave.
#include <stdio.h>
int main(void) {
  unsigned char in[8] = {0}; fread(in, 1, 8, stdin); unsigned a = in[0], b, c[2] = {in[1], in[2]};
  __asm__("lea 3(%1), %0" : "=r"(b) : "r"(a)); __asm__("addl $1, %0" : "+m"(c[0])); __asm__ volatile("" : : : "memory");
  if (b > 70) puts("b"); if (c[0] == 'f') puts("c"); if (c[1] == 'l') puts("d"); printf("%u %u\n", b, c[0]); return 0;
}
