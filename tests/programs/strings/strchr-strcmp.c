//! what: what strcmp sees behind a pointer that strchr found
//! seed: name value\n
//! goals: 2
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin)) return 0;
  line[strcspn(line, "\n")] = 0;
  char *value = strchr(line, '=');
  if (!value) return 0;
  if (!strcmp(value + 1, "on")) fputs("SOLVED 1\n", stderr);
  if (value - line == 3 && !strncmp(value + 1, "off", 3)) fputs("SOLVED 2\n", stderr);
}
