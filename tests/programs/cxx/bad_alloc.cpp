//! what: operator new throws std::bad_alloc for a size chosen by input
//! seed: 5\n
//! gap: the size of a heap block is pinned, so no input is sought for which there is no memory
//! options: --memory 512
#include <cstdio>
#include <iostream>
#include <new>
int main() {
  unsigned long n;
  std::cin >> n;
  try {
    char *p = new char[n];
    p[0] = 1;
    delete[] p;
  } catch (const std::bad_alloc &) {
    std::fputs("SOLVED\n", stderr);
  }
}
