//! what: std::cin >> of several integer types, one after the other
//! seed: 1 2 3\n
//! goals: 3
#include <cstdio>
#include <iostream>
int main() {
  unsigned long a = 0;
  short b = 0;
  long long c = 0;
  std::cin >> a;
  if (a == 12345) std::fputs("SOLVED 1\n", stderr);
  std::cin >> b;
  if (b == -321) std::fputs("SOLVED 2\n", stderr);
  std::cin >> c;
  if (c == 77 + static_cast<long long>(a)) std::fputs("SOLVED 3\n", stderr);
}
