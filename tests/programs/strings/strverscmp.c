//! what: strverscmp orders numbers inside text by value
//! flags: -D_GNU_SOURCE
//! seed: lib-1.999\n
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  line[strcspn(line, "\n")] = 0;
  if (strverscmp(line, "lib-1.99") > 0 && strverscmp(line, "lib-1.101") < 0)
    fputs("SOLVED\n", stderr);
}
