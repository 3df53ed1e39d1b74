//! what: qsort moves labels; the order of this run is one path
//! seed: 12345678
#include <stdio.h>
#include <stdlib.h>
static int by_value(const void *a, const void *b) {
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
int main(void) {
  unsigned char v[6];
  if (fread(v, 1, 6, stdin) != 6)
    return 0;
  unsigned char first = v[0];
  qsort(v, 6, 1, by_value);
  if (v[0] == 10 && v[1] == 30 && v[5] == 200 && first == 200)
    fputs("SOLVED\n", stderr);
}
