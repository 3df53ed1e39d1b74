//! what: getline and getdelim, three lines of different lengths
//! seed: aaa\nbbbbbbbbb\nccc;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *line = NULL;
  size_t room = 0;
  if (getline(&line, &room, stdin) < 0 || strcmp(line, "one\n"))
    return 0;
  if (getline(&line, &room, stdin) < 0 || strcmp(line, "two words\n"))
    return 0;
  if (getdelim(&line, &room, ';', stdin) != 4 || memcmp(line, "end;", 4))
    return 0;
  fputs("SOLVED\n", stderr);
  free(line);
}
