//! what: a character looked at and pushed back is read again
#include <stdio.h>
int main(void) {
  int c = getchar();
  ungetc(c, stdin);
  int d = getchar(), e = getchar();
  if (d == 'u' && e == 'n' && c == d)
    fputs("SOLVED\n", stderr);
}
