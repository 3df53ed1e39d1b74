//! what: a std::map built from input, its order and size
//! seed: abcd
#include <cstdio>
#include <iostream>
#include <map>
int main() {
  std::map<int, int> counts;
  for (int k = 0; k < 4; ++k) ++counts[std::cin.get()];
  if (counts.size() == 2 && counts.begin()->second == 3 && counts.rbegin()->first == 'z')
    std::fputs("SOLVED\n", stderr);
}
