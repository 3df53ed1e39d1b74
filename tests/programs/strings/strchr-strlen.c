//! what: lengths and positions behind a pointer that strchr found
//! seed: aaaaaaaaaa
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin)) return 0;
  char *first = strchr(line, '<');
  if (!first) return 0;
  char *last = strchr(first + 1, '>');
  if (last && last - first == 4 && strlen(last) == 3) fputs("SOLVED\n", stderr);
}
