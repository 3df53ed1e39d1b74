//! what: what std::stoi throws decides which handler runs
//! seed: 12\n
//! goals: 2
//! gap: which handler catches is no branch, so a run that only adds a handler is not kept
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
int main() {
  std::string a;
  std::cin >> a;
  try {
    if (std::stoi(a) == -77) return 3;
  } catch (const std::invalid_argument &) {
    std::fputs("SOLVED 1\n", stderr);
  } catch (const std::out_of_range &) {
    std::fputs("SOLVED 2\n", stderr);
  }
}
