//! what: std::transform with toupper, and a locale's facet
//! seed: abcd\n
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <locale>
#include <string>
int main() {
  std::string s;
  std::cin >> s;
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::toupper(c); });
  if (s != "STOP") return 1;
  std::cin >> s;
  if (!s.empty() && std::tolower(s[0], std::locale::classic()) == 'x' && std::isupper(s[0], std::locale::classic()))
    std::fputs("SOLVED\n", stderr);
}
