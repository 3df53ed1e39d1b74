//! what: std::function and lambdas with captures
//! seed: ab
#include <cstdio>
#include <functional>
#include <iostream>
int main() {
  const int a = std::cin.get(), b = std::cin.get();
  std::function<int(int)> f = [a](int x) { return x ^ a; };
  if (b == '+') f = [f](int x) { return f(x) + 1; };
  if (f(0x55) == 0x1b) std::fputs("SOLVED\n", stderr);
}
