// std::cin of libc++ reads through a class of the shared library that no header has: its buffer is replaced before the
// program's own constructors by one that does the same.
#include <cstdio>
#include <iostream>
#include <new>

namespace {
class StandardInput : public std::streambuf {
protected:
  int underflow() override {
    const int c = getc(stdin);
    if (c != EOF) ungetc(c, stdin);
    return c;
  }
  int uflow() override { return last = getc(stdin); }
  int pbackfail(int c) override {
    if (c == EOF) c = last;
    last = EOF;
    return c == EOF ? EOF : ungetc(c, stdin);
  }

private:
  int last = EOF;
};

alignas(StandardInput) char room[sizeof(StandardInput)];

[[gnu::constructor(102)]] void replace() { std::cin.rdbuf(new (room) StandardInput); }
} // namespace
