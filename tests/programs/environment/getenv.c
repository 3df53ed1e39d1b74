//! what: setenv of input bytes, then getenv keeps their labels
//! seed: aaaaaaa\n
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char in[16];
  if (!fgets(in, sizeof in, stdin))
    return 0;
  in[strcspn(in, "\n")] = 0;
  setenv("SETTING", in, 1);
  const char *got = getenv("SETTING");
  if (got && strcmp(got, "verbose") == 0)
    fputs("SOLVED\n", stderr);
}
