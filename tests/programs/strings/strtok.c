//! what: tokens of strtok_r compared with words
//! seed: a b c
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], *save;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  char *first = strtok_r(line, " ,;\n", &save);
  char *second = first ? strtok_r(NULL, " ,;\n", &save) : NULL;
  if (second && strcmp(first, "set") == 0 && strcmp(second, "mode") == 0)
    fputs("SOLVED\n", stderr);
}
