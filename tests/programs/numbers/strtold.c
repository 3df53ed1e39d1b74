//! what: strtold, the long double of x87
//! seed: 10.5\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  long double v = strtold(line, NULL);
  if (v == 73.5L)
    fputs("SOLVED\n", stderr);
}
