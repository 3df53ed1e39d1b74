//! what: the whole of standard input through std::istreambuf_iterator
//! seed: hello\n
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
int main() {
  const std::string all{std::istreambuf_iterator<char>(std::cin), {}};
  if (all.size() == 6 && all[0] == '<' && all.find("/>") == 3) std::fputs("SOLVED\n", stderr);
}
