//! what: std::variant, std::visit and std::optional
//! flags: -std=c++17
//! seed: ab
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <variant>
using Token = std::variant<int, char, std::string>;
std::optional<Token> next() {
  const int c = std::cin.get();
  if (c < 0) return std::nullopt;
  if (c >= '0' && c <= '9') return c - '0';
  if (c == '"') return std::string(1, static_cast<char>(std::cin.get()));
  return static_cast<char>(c);
}
struct Weight {
  int operator()(int n) const { return n; }
  int operator()(char c) const { return 100 + c; }
  int operator()(const std::string &s) const { return 1000 + s[0]; }
};
int main() {
  int sum = 0;
  while (auto token = next()) sum += std::visit(Weight{}, *token);
  if (sum == 1066) std::fputs("SOLVED\n", stderr);
}
