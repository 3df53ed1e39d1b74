//! what: atof and strtof of text without a point
//! seed: 10\n20\n
//! goals: 2
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (atof(line) == -42)
    fputs("SOLVED 1\n", stderr);
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strtof(line, NULL) == 65)
    fputs("SOLVED 2\n", stderr);
}
