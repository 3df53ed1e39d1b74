//! what: strspn, strcspn and strpbrk give lengths and places
//! runs: 2000
//! goals: 3
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strspn(line, "0123456789") == 7)
    fputs("SOLVED 1\n", stderr);
  if (strcspn(line, "=:") == 6 && line[6] == '=')
    fputs("SOLVED 2\n", stderr);
  char *p = strpbrk(line, "!?");
  if (p && p[0] == '?' && p[1] == '!' && p - line == 3)
    fputs("SOLVED 3\n", stderr);
}
