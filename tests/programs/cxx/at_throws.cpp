//! what: std::vector::at with an index from input
//! seed: 1\n
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <vector>
int main() {
  const std::vector<int> v{1, 2, 3};
  unsigned n;
  std::cin >> n;
  try {
    (void)v.at(n);
  } catch (const std::out_of_range &) {
    if (n < 9) std::fputs("SOLVED\n", stderr);
  }
}
