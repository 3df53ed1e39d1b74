//! what: std::cin >> double
//! seed: 10.5\n
#include <cstdio>
#include <iostream>
int main() {
  double d;
  if (std::cin >> d && d == 36.5) std::fputs("SOLVED\n", stderr);
}
