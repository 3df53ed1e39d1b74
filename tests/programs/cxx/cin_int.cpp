//! what: std::cin >> int
#include <cstdio>
#include <iostream>
int main() {
  int n;
  if (std::cin >> n && n == 4711) std::fputs("SOLVED\n", stderr);
}
