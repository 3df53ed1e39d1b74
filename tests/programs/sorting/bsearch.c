//! what: bsearch must find an entry of a table
//! seed: aaaaaaaa
//! goals: 2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *const words[] = {"alpha", "bravo", "delta", "kilo", "oscar", "tango", "zulu"};
static int by_text(const void *key, const void *element) {
  return strcmp(key, *(const char *const *)element);
}
int main(void) {
  char in[9] = {0};
  if (!fgets(in, sizeof in, stdin))
    return 0;
  in[strcspn(in, "\n")] = 0;
  const char *const *found = bsearch(in, words, 7, sizeof *words, by_text);
  if (found && found - words == 4)
    fputs("SOLVED 1\n", stderr);
  if (found && found - words == 0)
    fputs("SOLVED 2\n", stderr);
}
