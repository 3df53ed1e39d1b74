//! what: scanf of numbers and words from standard input
//! runs: 2000
//! seed: 11111 aaa 2\n
#include <stdio.h>
#include <string.h>
int main(void) {
  int n, m;
  char word[16];
  if (scanf("%d %15s %i", &n, word, &m) != 3)
    return 0;
  if (n == 31337 && strcmp(word, "add") == 0 && m == 0)
    fputs("SOLVED\n", stderr);
}
