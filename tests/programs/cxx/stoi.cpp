//! what: std::stoi and std::stol with a base
//! seed: 12 ab\n
//! goals: 2
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
int main() {
  std::string a, b;
  std::cin >> a >> b;
  try {
    if (std::stoi(a) == -77) std::fputs("SOLVED 1\n", stderr);
    if (std::stol(b, nullptr, 16) == 0xc0de) std::fputs("SOLVED 2\n", stderr);
  } catch (const std::invalid_argument &) {
    return 1;
  } catch (const std::out_of_range &) {
    return 2;
  }
}
