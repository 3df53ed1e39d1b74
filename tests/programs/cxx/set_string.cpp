//! what: std::set of strings, asked with input
//! seed: blue\n
#include <cstdio>
#include <iostream>
#include <set>
#include <string>
int main() {
  const std::set<std::string> names{"anna", "bert", "carl", "dora"};
  std::string s;
  std::cin >> s;
  if (names.count(s)) std::fputs("SOLVED\n", stderr);
}
