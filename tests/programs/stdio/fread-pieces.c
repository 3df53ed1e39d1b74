//! what: fread in pieces of different sizes, with fgetc between
#include <stdio.h>
#include <string.h>
int main(void) {
  char a[3], b[5], c[2];
  if (fread(a, 1, 3, stdin) != 3)
    return 0;
  int d = fgetc(stdin);
  if (fread(b, 5, 1, stdin) != 1 || fread(c, 1, 2, stdin) != 2)
    return 0;
  if (memcmp(a, "abc", 3) == 0 && d == '#' && memcmp(b, "defgh", 5) == 0 && c[1] == c[0] + 1)
    fputs("SOLVED\n", stderr);
}
