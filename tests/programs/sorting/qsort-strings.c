//! what: qsort of pointers with strcmp, the order must change
//! seed: aaaabbbbccccdddd
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(void) {
  char in[4][5] = {{0}};
  char *p[4];
  for (int k = 0; k < 4; k++) {
    if (fread(in[k], 1, 4, stdin) != 4)
      return 0;
    p[k] = in[k];
  }
  qsort(p, 4, sizeof *p, by_text);
  if (p[0] == in[3] && p[1] == in[1] && strcmp(p[3], "last") == 0)
    fputs("SOLVED\n", stderr);
}
