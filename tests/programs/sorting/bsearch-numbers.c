//! what: bsearch with a comparator without branches
//! seed: \x01\0\0\0
#include <stdio.h>
#include <stdlib.h>
static const int keys[] = {-900, -17, 4, 256, 31000, 70000, 1234567};
static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
int main(void) {
  int key;
  if (fread(&key, sizeof key, 1, stdin) != 1)
    return 0;
  const int *found = bsearch(&key, keys, 7, sizeof *keys, by_value);
  if (found == keys + 5)
    fputs("SOLVED\n", stderr);
}
