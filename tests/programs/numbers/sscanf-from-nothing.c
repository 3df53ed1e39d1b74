//! what: sscanf on input that matches nothing at first
//! runs: 1500
#include <stdio.h>
int main(void) {
  char line[64];
  int a, b;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (sscanf(line, "(%d;%d)", &a, &b) == 2 && a == 19 && b == 83)
    fputs("SOLVED\n", stderr);
}
