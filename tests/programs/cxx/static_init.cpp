//! what: a constructor before main reads the input
//! seed: a
//! gap: a run's input is there when main begins, not before
#include <cstdio>
#include <iostream>
struct Config {
  int mode = std::cin.get();
} config;
int main() {
  if (config.mode == 'M') std::fputs("SOLVED\n", stderr);
}
