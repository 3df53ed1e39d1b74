//! what: numbers written into std::ostringstream and read back
//! seed: aa
#include <cstdio>
#include <iostream>
#include <sstream>
int main() {
  const int a = std::cin.get(), b = std::cin.get();
  std::ostringstream out;
  out << a << '-' << b;
  if (out.str() == "104-105") std::fputs("SOLVED\n", stderr);
}
