//! what: std::cin after sync_with_stdio(false) reads through a buffer of its own
#include <cstdio>
#include <iostream>
int main() {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  int n;
  if (std::cin >> n && n == 1999) std::fputs("SOLVED\n", stderr);
}
