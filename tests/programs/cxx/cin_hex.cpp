//! what: std::cin >> std::hex, one decision a character
//! seed: ffff\n
#include <cstdio>
#include <iostream>
int main() {
  int n;
  if (std::cin >> std::hex >> n && n == 0xbeef) std::fputs("SOLVED\n", stderr);
}
