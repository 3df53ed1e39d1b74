//! what: std::istringstream over a line
//! seed: 11 x 22\n
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  std::istringstream in(line);
  int a, b;
  char op;
  if (in >> a >> op >> b && op == '*' && a * b == 391 && a > 1 && b > 1) std::fputs("SOLVED\n", stderr);
}
