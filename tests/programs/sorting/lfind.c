//! what: lfind goes through a table until the key is there
#include <search.h>
#include <stdio.h>
#include <string.h>
static int same(const void *a, const void *b) { return memcmp(a, b, 4); }
int main(void) {
  static const char table[4][4] = {"GET ", "PUT ", "POST", "HEAD"};
  char in[4];
  size_t n = 4;
  if (fread(in, 1, 4, stdin) != 4)
    return 0;
  const char *found = lfind(in, table, &n, 4, same);
  if (found && found - table[0] == 8)
    fputs("SOLVED\n", stderr);
}
