//! what: istream::read, peek and gcount on binary data
//! seed: 0123456789abcdef
#include <cstdio>
#include <cstring>
#include <iostream>
int main() {
  char head[4];
  std::cin.read(head, 4);
  if (std::cin.gcount() != 4 || std::memcmp(head, "\x7f" "ELF", 4)) return 1;
  if (std::cin.peek() == 2) std::fputs("SOLVED\n", stderr);
}
