//! what: an environment variable as an input
//! options: --symbolic-env SETTING:8
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  const char *got = getenv("SETTING");
  if (got && strcmp(got, "verbose") == 0)
    fputs("SOLVED\n", stderr);
}
