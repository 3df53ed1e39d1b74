//! what: a hexadecimal prefix must be found where the seed has none
//! seed: 1000000\n
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strtol(line, NULL, 0) == 0xface && line[0] == '0')
    fputs("SOLVED\n", stderr);
}
