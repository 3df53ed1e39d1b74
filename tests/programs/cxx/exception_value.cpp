//! what: an exception carries input to its handler
//! seed: a
#include <cstdio>
#include <iostream>
struct Failure {
  int code;
};
[[gnu::noinline]] void check(int c) {
  if (c > 10) throw Failure{c * 3};
}
int main() {
  try {
    check(std::cin.get());
  } catch (const Failure &f) {
    if (f.code == 366) std::fputs("SOLVED\n", stderr);
  }
}
