//! what: strtok on an empty line: the number of tokens must change
//! runs: 600
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  int n = 0;
  for (char *t = strtok(line, ",\n"); t; t = strtok(NULL, ",\n"))
    n++;
  if (n == 4)
    fputs("SOLVED\n", stderr);
}
