//! what: std::unordered_map keyed by a string, of many elements
//! seed: abc\n
//! runs: 40
#include <cstdio>
#include <iostream>
#include <string>
#include <unordered_map>
int main() {
  std::unordered_map<std::string, int> table;
  for (int k = 0; k < 40; ++k) table["k" + std::to_string(k)] = k;
  table["red"] = 100;
  std::string s;
  std::cin >> s;
  const auto found = table.find(s);
  if (found != table.end() && found->second == 100) std::fputs("SOLVED\n", stderr);
}
