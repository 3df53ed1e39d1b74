//! what: std::map keyed by input
//! seed: 10000\n
#include <cstdio>
#include <iostream>
#include <map>
int main() {
  const std::map<int, int> table{{11, 1}, {222, 2}, {3333, 3}, {4444, 4}, {-5, 5}};
  int n;
  std::cin >> n;
  const auto found = table.find(n);
  if (found != table.end() && found->second == 3) std::fputs("SOLVED\n", stderr);
}
