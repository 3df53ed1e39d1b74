//! what: std::string insert, erase, replace, compare, rfind
//! seed: abcdef\n
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string s;
  std::cin >> s;
  if (s.size() != 6) return 1;
  s.insert(3, "-").erase(0, 1).replace(0, 2, "xy");
  s += s.substr(3);
  if (s.compare(2, 4, "-cat") == 0 && s.rfind("cat") == 6) std::fputs("SOLVED\n", stderr);
}
