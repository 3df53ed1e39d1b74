//! what: std::bitset, std::array, std::tuple over input
//! seed: abcd
#include <array>
#include <bitset>
#include <cstdio>
#include <iostream>
#include <tuple>
int main() {
  std::array<int, 3> a{};
  for (int &x : a) x = std::cin.get();
  const std::bitset<8> bits(static_cast<unsigned long>(a[0]));
  const auto t = std::make_tuple(a[1], a[2]);
  if (bits.count() == 5 && bits[7] == 0 && bits[0] && t == std::make_tuple('[', ']')) std::fputs("SOLVED\n", stderr);
}
