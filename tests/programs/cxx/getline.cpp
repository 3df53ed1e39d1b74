//! what: std::getline, find and substr
//! seed: name: value\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  const auto colon = line.find(':');
  if (colon != std::string::npos && line.substr(0, colon) == "mode") std::fputs("SOLVED\n", stderr);
}
