//! what: a number of twenty digits that is out of strtoull's range
//! seed: 11111111111111111111;\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strtoull(line, NULL, 10) == 18446744073709551615ull && line[0] == '9')
    fputs("SOLVED\n", stderr);
}
