//! what: strtod gives the value of decimal digits, with point and exponent
//! seed: 1.5e1\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  double v = strtod(line, NULL);
  if (v > 612.25 && v < 612.75)
    fputs("SOLVED\n", stderr);
}
