//! what: a message with input in it, through std::runtime_error
//! seed: abcd\n
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
int main() {
  std::string s;
  std::cin >> s;
  try {
    throw std::runtime_error("bad " + s);
  } catch (const std::exception &e) {
    if (std::strcmp(e.what(), "bad luck") == 0) std::fputs("SOLVED\n", stderr);
  }
}
