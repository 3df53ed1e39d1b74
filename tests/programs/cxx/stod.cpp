//! what: std::stod
//! seed: 1.25\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string s;
  std::cin >> s;
  if (s.size() == 4 && std::stod(s) == 2.75) std::fputs("SOLVED\n", stderr);
}
