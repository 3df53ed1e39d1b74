//! what: strcasestr finds the text anywhere
//! flags: -D_GNU_SOURCE
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  char *p = strcasestr(line, "NeedlE");
  if (p && p - line == 5 && p[3] == 'd')
    fputs("SOLVED\n", stderr);
}
