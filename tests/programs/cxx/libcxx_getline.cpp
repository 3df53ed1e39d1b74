//! what: libc++: std::getline, std::stoi, std::string::find
//! flags: -stdlib=libc++
//! seed: key=12\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  const auto at = line.find('=');
  if (at == std::string::npos || line.compare(0, at, "max") != 0) return 1;
  try {
    if (std::stoi(line.substr(at + 1)) == 404) std::fputs("SOLVED\n", stderr);
  } catch (...) {
  }
}
