//! what: %f prints a symbolic double: its text is pinned, what else depends on the input is not
//! seed: \x00\x00\x00\x00\x00\x00\xf0?ab
#include <stdio.h>
#include <string.h>
int main(void) {
  double d;
  char c[2], text[64];
  if (fread(&d, sizeof d, 1, stdin) != 1 || fread(c, 2, 1, stdin) != 1)
    return 0;
  snprintf(text, sizeof text, "%.2f:%c%c", d, c[0], c[1]);
  if (strcmp(text, "1.00:OK") == 0)
    fputs("SOLVED\n", stderr);
}
