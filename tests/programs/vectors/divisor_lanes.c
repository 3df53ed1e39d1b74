//! what: a vector division of which one lane is used; the compiler leaves the other divisor undefined
//! flags: -Os
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t two __attribute__((vector_size(16)));

static __attribute__((noinline)) uint64_t quotient(const unsigned char *in) {
  uint32_t d;
  two x;
  memcpy(&d, in + 16, 4);
  memcpy(&x, in, 16);
  two divisor = ((two){d, d} * x) | 1;
  return __builtin_shufflevector(x, x / divisor, 1, 2)[1];
}

int main(void) {
  unsigned char in[20];
  if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
  if (quotient(in) == 77) fputs("SOLVED\n", stderr);
  return 0;
}
