//! what: a file that the program opens by its own name is an input
//! options: --file config.txt
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64];
  FILE *f = fopen("config.txt", "r");
  if (!f || !fgets(line, sizeof line, f))
    return 0;
  if (strcmp(line, "mode=fast\n") == 0)
    fputs("SOLVED\n", stderr);
}
