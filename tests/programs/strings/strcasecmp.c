//! what: strcasecmp and strncasecmp, either case will do
//! goals: 2
#include <stdio.h>
#include <strings.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strcasecmp(line, "Quit-Now\n") == 0)
    fputs("SOLVED 1\n", stderr);
  if (strncasecmp(line, "hElLo+", 6) == 0 && line[0] == 'h' && line[1] == 'E')
    fputs("SOLVED 2\n", stderr);
}
