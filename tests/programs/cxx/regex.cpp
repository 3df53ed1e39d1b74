//! what: std::regex over input
//! seed: ab-12\n
//! runs: 600
#include <cstdio>
#include <iostream>
#include <regex>
#include <string>
int main() {
  std::string s;
  std::getline(std::cin, s);
  static const std::regex form("[a-c]+=([0-9]+)");
  std::smatch m;
  if (std::regex_match(s, m, form) && m[1].length() == 2) std::fputs("SOLVED\n", stderr);
}
