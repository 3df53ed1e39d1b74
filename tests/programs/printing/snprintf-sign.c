//! what: the sign and number of digits of %d are solved for too
//! seed: \x01\x00\x00\x00
#include <stdio.h>
#include <string.h>
int main(void) {
  int v;
  char text[32];
  if (fread(&v, sizeof v, 1, stdin) != 1)
    return 0;
  snprintf(text, sizeof text, "%d", v);
  if (strcmp(text, "-90210") == 0)
    fputs("SOLVED\n", stderr);
}
