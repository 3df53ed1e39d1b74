//! what: std::from_chars for integers and doubles
//! flags: -std=c++17
//! seed: 12,0.50\n
//! goals: 2
#include <charconv>
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string s;
  std::getline(std::cin, s);
  int n = 0;
  const char *end = s.data() + s.size();
  const auto [p, error] = std::from_chars(s.data(), end, n);
  if (error == std::errc{} && n == 93) std::fputs("SOLVED 1\n", stderr);
  double d = 0;
  if (p != end && *p == ',' && std::from_chars(p + 1, end, d).ec == std::errc{} && d == 0.25)
    std::fputs("SOLVED 2\n", stderr);
}
