// A keyword maze over 16 bytes: doors open to words, digits, sums and orders of bytes. What no input reaches is marked
// INFEASIBLE with the reason; `small.py` reads the marks.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned char in[16];

static uint32_t word(int at) {
  return (uint32_t)in[at] | (uint32_t)in[at + 1] << 8 | (uint32_t)in[at + 2] << 16 | (uint32_t)in[at + 3] << 24;
}

static int digit(int at) { return in[at] >= '0' && in[at] <= '9' ? in[at] - '0' : -1; }

// A word, then a number of three digits, then a sum.
static int north(void) {
  if (memcmp(in + 1, "orth", 4) != 0) return 10;
  int a = digit(5), b = digit(6), c = digit(7);
  if (a < 0 || b < 0 || c < 0) return 11;
  int n = a * 100 + b * 10 + c;
  if (n == 0) return 12;
  if (n % 7 == 0 && n % 11 == 0 && n % 13 == 0) return 13; // INFEASIBLE 3.true: n would be 1001 or more, and is below 1000
  if (n * n == 99225) { // 315 squared
    if (in[8] + in[9] + in[10] == 700 && in[8] > in[9] && in[9] > in[10]) return 14;
    return 15;
  }
  return n > 500 ? 16 : 17;
}

// A magic number whose parts mix, and a checksum over what follows.
static int east(void) {
  uint32_t key = word(1);
  if ((key ^ 0x5bd1e995u) * 2654435761u != 0x1badb002u) return 20;
  uint32_t sum = 0;
  for (int i = 5; i < 15; i++) sum = (sum << 1 | sum >> 31) ^ in[i];
  if ((sum & 0xff) != in[15]) return 21;
  if (in[5] == in[14] && in[6] == in[13] && in[7] == in[12] && in[5] != in[6]) return 22;
  return 23;
}

// Letters in rising order, none twice, that spell no more than they say.
static int south(void) {
  int letters = 0, vowels = 0;
  for (int i = 1; i < 12; i++) {
    if (in[i] < 'a' || in[i] > 'z') break;
    if (i > 1 && in[i] <= in[i - 1]) return 30;
    letters++;
    if (strchr("aeiou", in[i])) vowels++;
  }
  if (letters < 6) return 31;
  if (vowels > 5) return 32; // INFEASIBLE 1.true: there are five vowels, and no letter comes twice
  if (vowels == 5 && letters == 11) return 33;
  if (vowels == 0) return 34;
  return 35;
}

// Fields behind a length, the last of them a keyword at the place that the first one gives.
static int west(void) {
  unsigned length = in[1], at = in[2];
  if (length > 12 || length < 4) return 40;
  if (at + 5 > 16 || at < 3) return 41;
  if (at > 200) return 42; // INFEASIBLE 1.true: at is 11 at most
  if (memcmp(in + at, "GRAIL", 5) != 0) return 43;
  if (at == 7 && length == 9) {
    if (word(3) == 0xdeadbeefu) return 44;
    return 45;
  }
  return 46;
}

int main(void) {
  size_t n = fread(in, 1, sizeof in, stdin);
  if (n < sizeof in) return 1;
  switch (in[0]) {
  case 'n': return north();
  case 'e': return east();
  case 's': return south();
  case 'w': return west();
  default: return 2;
  }
}
