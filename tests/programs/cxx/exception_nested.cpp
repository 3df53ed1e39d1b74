//! what: rethrown exceptions, cleanups, and dispatch by type
//! seed: ab
//! goals: 3
#include <cstdio>
#include <iostream>
#include <stdexcept>
struct Guard {
  int &n;
  ~Guard() { ++n; }
};
void act(int c, int &n) {
  Guard guard{n};
  if (c == 'i') throw std::invalid_argument("i");
  if (c == 'r') throw std::range_error("r");
  if (c == 'n') throw 1;
}
int main() {
  int n = 0;
  const int c = std::cin.get();
  try {
    try {
      act(c, n);
    } catch (const std::runtime_error &) {
      std::fputs("SOLVED 1\n", stderr);
      throw;
    }
  } catch (const std::logic_error &) {
    if (n == 1) std::fputs("SOLVED 2\n", stderr);
  } catch (const std::exception &) {
  } catch (...) {
    if (n == 1) std::fputs("SOLVED 3\n", stderr);
  }
}
