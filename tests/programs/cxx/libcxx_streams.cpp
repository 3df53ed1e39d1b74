//! what: libc++: std::cin, strings and maps
//! flags: -stdlib=libc++
//! seed: 12 abc\n
//! goals: 2
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
int main() {
  const std::map<std::string, int> words{{"one", 1}, {"two", 2}, {"six", 6}};
  int n;
  std::string s;
  if (!(std::cin >> n >> s)) return 1;
  if (n == 815) std::fputs("SOLVED 1\n", stderr);
  const auto found = words.find(s);
  if (found != words.end() && found->second == 6) std::fputs("SOLVED 2\n", stderr);
}
