//! what: %d printed and compared as text
//! seed: \x01\x02\x03\x04
#include <stdio.h>
#include <string.h>
int main(void) {
  int v;
  char text[32];
  if (fread(&v, sizeof v, 1, stdin) != 1)
    return 0;
  snprintf(text, sizeof text, "%d", v);
  if (strcmp(text, "1234567") == 0)
    fputs("SOLVED\n", stderr);
}
