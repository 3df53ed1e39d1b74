//! what: a std::thread works on input
//! flags: -pthread
//! seed: ab
#include <cstdio>
#include <iostream>
#include <thread>
int main() {
  const int a = std::cin.get();
  int result = 0;
  std::thread worker([&] { result = a * 7; });
  worker.join();
  if (result == 511) std::fputs("SOLVED\n", stderr);
}
