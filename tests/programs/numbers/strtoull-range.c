//! what: strtoull at the end of its range, overflow and end pointer
//! goals: 2
//! seed: 11111111111111111111;\n
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64], *end;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  unsigned long long v = strtoull(line, &end, 10);
  if (v == 18446744073709551557ull && *end == ';')
    fputs("SOLVED 1\n", stderr);
  if (v == 18446744073709551615ull && line[0] == '9')
    fputs("SOLVED 2\n", stderr);
}
