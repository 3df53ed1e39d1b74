// Four ints with non-linear arithmetic: products, squares, remainders, divisors, a polynomial, a loop whose length
// depends on its input. What no input reaches is marked INFEASIBLE with the reason; `small.py` reads the marks.
#include <stdint.h>
#include <stdio.h>

static int products(int a, int b, int c, int d) {
  a %= 20000;
  b %= 20000;
  if (a * b == 1021020) return a > b ? 2 : 3;
  if (a * a + b * b == 5525 * 5525 && a > b) return 4;
  if (a * b + a + b == 123455 && a > 1) return 5;
  if ((a * a) % 4 == 2) return 6; // INFEASIBLE 1.true: a square leaves 0 or 1 when divided by 4
  if ((long long)a * a * a - 6LL * a * a + 11LL * a == 6 && a > 1) return a == 2 ? 7 : 8; // roots 1, 2, 3
  c %= 1000;
  d %= 1000;
  if (a * c - b * d == 7919 && c * d == 391) return 9;
  return 10;
}

static int divisions(int a, int b, int d) {
  if (b == 0 || d == 0 || b == -1 || d == -1) return 20;
  if (a / b == 1234 && a % b == 56) return b > 1000 ? 21 : 22;
  if (a % 1009 == 17 && a % 1013 == 19) return 23;
  if (b > 0 && a % b >= b) return 25; // INFEASIBLE 2.true: a remainder is smaller than its positive divisor
  if (a / 7 * 7 + a % 7 != a) return 26; // INFEASIBLE 1.true: that is what a remainder is
  return 28;
}

static unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static int loops(int a, int b, int c, int d) {
  unsigned x = (unsigned)a % 5000 + 1, y = (unsigned)b % 5000 + 1, g = gcd(x, y);
  if (g == 37 && x != y && x > 37) return 31;
  if (g > 5000) return 32; // INFEASIBLE 1.true: it divides x, which is 5000 at most
  int steps = 0;
  for (unsigned n = x; n != 1 && steps < 40; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
  if (steps > 20 && steps < 30 && (c ^ d) == 0x5a5a5a5a && (c & d) == 0x01010101) return 33;
  c %= 20000;
  if (c > 0 && d == c * c && c % 100 == 99) return 34;
  return 35;
}

static int mixed(int a, int b, int c, int d) {
  unsigned h = (unsigned)a * 0x9e3779b1u;
  h ^= h >> 15;
  h *= 0x85ebca77u;
  if (h == 0x600dcafeu) return 40;
  unsigned sign = (unsigned)(b >> 31);
  if ((int)(((unsigned)b ^ sign) - sign) < 0) return b == INT32_MIN ? 41 : 42; // INFEASIBLE 2.false: only of the least int the absolute value is negative
  int lo = c < d ? c : d, hi = c < d ? d : c;
  if (lo > hi) return 43; // INFEASIBLE 1.true: they were put in order
  if (lo > 1000 && hi < 2000 && lo * hi == 1867 * 1451) return 44;
  if (lo > 0 && hi < 1000 && hi * hi - lo * lo == 9991) return 45; // 100 and 3
  return 46;
}

int main(void) {
  int32_t v[4];
  if (fread(v, sizeof v[0], 4, stdin) != 4) return 100;
  int which = (int)((uint32_t)v[3] >> 30), d = (int)((uint32_t)v[3] << 2) / 4;
  if (which == 0) return products(v[0], v[1], v[2], d);
  if (which == 1) return divisions(v[0], v[1], d);
  return which == 2 ? loops(v[0], v[1], v[2], d) : mixed(v[0], v[1], v[2], d);
}
