//! what: formats that only the C library reads (%1$d, %ls) leave no stale labels behind
//! seed: 5 7\n
#include <stdio.h>
int main(void) {
  char line[64];
  int a = 0, b = 0;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  a = line[0];
  b = line[2];
  sscanf("3 4", "%2$d %1$d", &a, &b);
  if (a == 4 && b == 3 && line[0] == 'R')
    fputs("SOLVED\n", stderr);
}
