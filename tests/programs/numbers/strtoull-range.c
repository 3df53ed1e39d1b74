//! what: strtoull at the end of its range, and the end pointer
//! seed: 11111111111111111111;\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64], *end;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  unsigned long long v = strtoull(line, &end, 10);
  if (v == 18446744073709551557ull && *end == ';')
    fputs("SOLVED\n", stderr);
}
