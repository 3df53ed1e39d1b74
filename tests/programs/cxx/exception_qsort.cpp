//! what: an exception thrown by input leaves through the C library's qsort
//! seed: abcd
#include <cstdio>
#include <cstdlib>
#include <iostream>
int main() {
  char text[4];
  for (char &c : text) c = static_cast<char>(std::cin.get());
  try {
    std::qsort(text, 4, 1, [](const void *a, const void *b) -> int {
      const char x = *static_cast<const char *>(a), y = *static_cast<const char *>(b);
      if (x == '%' || y == '%') throw 5;
      return x - y;
    });
  } catch (int n) {
    if (n == 5) std::fputs("SOLVED\n", stderr);
  }
}
