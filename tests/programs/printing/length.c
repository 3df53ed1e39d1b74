//! what: the length that snprintf answers depends on what it prints
#include <stdio.h>
#include <string.h>
int main(void) {
  unsigned v;
  if (fread(&v, sizeof v, 1, stdin) != 1)
    return 0;
  if (snprintf(NULL, 0, "%u", v) == 9)
    fputs("SOLVED\n", stderr);
}
