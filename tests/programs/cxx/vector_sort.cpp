//! what: std::sort and std::lower_bound over input
//! seed: dcba
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>
int main() {
  std::vector<int> v(4);
  for (int &x : v) x = std::cin.get();
  std::sort(v.begin(), v.end());
  const auto at = std::lower_bound(v.begin(), v.end(), 100);
  if (at - v.begin() == 2 && v[0] == '#' && v[3] == '~') std::fputs("SOLVED\n", stderr);
}
