//! what: multiple and virtual inheritance, calls through a second base
//! seed: ab
#include <cstdio>
#include <iostream>
struct Base {
  int b = 0;
  virtual ~Base() = default;
};
struct Left : virtual Base {
  virtual int left() { return b + 1; }
};
struct Right : virtual Base {
  virtual int right() { return b * 2; }
};
struct Both : Left, Right {
  int right() override { return b * 3 + left(); }
};
int main() {
  Both both;
  both.b = std::cin.get();
  Right &right = both;
  Base *base = &right;
  if (right.right() == 445 && dynamic_cast<Left *>(base)) std::fputs("SOLVED\n", stderr);
}
