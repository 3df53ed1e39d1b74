//! what: strtol with base 0, 16, 36 and 2
//! seed: 0x1111 -1111 111 11111\n
//! goals: 4
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64], *p = line;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strtol(p, &p, 0) == 0xbeef)
    fputs("SOLVED 1\n", stderr);
  if (strtol(p, &p, 16) == -0xcafe)
    fputs("SOLVED 2\n", stderr);
  if (strtol(p, &p, 36) == 46655)
    fputs("SOLVED 3\n", stderr);
  if (strtoul(p, &p, 2) == 21)
    fputs("SOLVED 4\n", stderr);
}
