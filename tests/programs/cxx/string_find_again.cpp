//! what: std::string::find from where an earlier one ended, and the text between
//! runs: 1500
//! seed: some text here\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  const auto open = line.find("${");
  if (open == std::string::npos) return 0;
  const auto close = line.find('}', open + 2);
  if (close == std::string::npos) return 0;
  if (line.substr(open + 2, close - open - 2) == "home") std::fputs("SOLVED\n", stderr);
}
