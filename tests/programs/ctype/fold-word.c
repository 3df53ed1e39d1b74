//! what: a word folded with tolower, then compared
#include <ctype.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[16];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  for (char *p = line; *p; p++)
    *p = (char)tolower((unsigned char)*p);
  if (strcmp(line, "fold me\n") == 0)
    fputs("SOLVED\n", stderr);
}
