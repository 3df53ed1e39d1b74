//! what: strtod of plain digits solved for one value
//! seed: 00.00\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[32], *end;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  double v = strtod(line, &end);
  if (v == 37.25 && *end == '\n')
    fputs("SOLVED\n", stderr);
}
