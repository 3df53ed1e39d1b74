//! what: std::unordered_map keyed by an integer
#include <cstdio>
#include <iostream>
#include <unordered_map>
int main() {
  const std::unordered_map<int, int> table{{1001, 1}, {2002, 2}, {3003, 3}};
  int n;
  std::cin >> n;
  const auto found = table.find(n);
  if (found != table.end() && found->second == 2) std::fputs("SOLVED\n", stderr);
}
