//! what: std::cin.get() and >> char
//! seed: ab\n
#include <cstdio>
#include <iostream>
int main() {
  char c;
  if (std::cin.get() == 'q' && std::cin >> c && c == '!') std::fputs("SOLVED\n", stderr);
}
