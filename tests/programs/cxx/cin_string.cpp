//! what: std::cin >> std::string, compared with a constant
//! seed: abcd\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string s;
  if (std::cin >> s && s == "open") std::fputs("SOLVED\n", stderr);
}
