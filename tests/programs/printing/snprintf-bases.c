//! what: %x, %o, %u, %#X with width, zeros and precision
//! seed: \x10\x20\x10\x20\x10\x20\x10\x20
//! goals: 4
#include <stdio.h>
#include <string.h>
int main(void) {
  unsigned short v[4];
  char text[32];
  if (fread(v, sizeof v, 1, stdin) != 1)
    return 0;
  snprintf(text, sizeof text, "%04x", v[0]);
  if (strcmp(text, "c0de") == 0)
    fputs("SOLVED 1\n", stderr);
  snprintf(text, sizeof text, "%8o|", v[1]);
  if (strcmp(text, "   17777|") == 0)
    fputs("SOLVED 2\n", stderr);
  snprintf(text, sizeof text, "%-6u|", v[2]);
  if (strcmp(text, "8086  |") == 0)
    fputs("SOLVED 3\n", stderr);
  snprintf(text, sizeof text, "%#.5X", v[3]);
  if (strcmp(text, "0X0BEAD") == 0)
    fputs("SOLVED 4\n", stderr);
}
