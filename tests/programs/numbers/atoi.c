//! what: atoi of an argument-like word with sign
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (atoi(line) == -271828)
    fputs("SOLVED\n", stderr);
}
