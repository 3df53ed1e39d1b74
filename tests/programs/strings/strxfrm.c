//! what: strxfrm and strcoll in the C locale are copy and comparison
//! goals: 2
//! seed: aaaaa\n
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32], key[64];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  line[strcspn(line, "\n")] = 0;
  if (strxfrm(key, line, sizeof key) < sizeof key && memcmp(key, "omega", 6) == 0)
    fputs("SOLVED 1\n", stderr);
  if (strcoll(line, "alpha") == 0)
    fputs("SOLVED 2\n", stderr);
}
