//! what: a tree of tsearch, searched with tfind
#include <search.h>
#include <stdio.h>
static int by_value(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return x < y ? -1 : x > y;
}
int main(void) {
  static unsigned keys[] = {500, 20, 77777, 3, 123456, 40};
  void *root = NULL;
  unsigned key;
  for (int k = 0; k < 6; k++)
    tsearch(&keys[k], &root, by_value);
  if (fread(&key, sizeof key, 1, stdin) != 1)
    return 0;
  unsigned **found = tfind(&key, &root, by_value);
  if (found && *found == &keys[4])
    fputs("SOLVED\n", stderr);
}
