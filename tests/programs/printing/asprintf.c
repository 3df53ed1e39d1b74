//! what: asprintf with %.*s and %5d
//! seed: abcdefgh
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define _GNU_SOURCE
int asprintf(char **, const char *, ...);
int main(void) {
  char in[5], *text;
  if (fread(in, 5, 1, stdin) != 1)
    return 0;
  if (asprintf(&text, "%.*s:%5d", 4, in, in[4] * 3) < 0)
    return 0;
  if (strcmp(text, "open:  123") == 0)
    fputs("SOLVED\n", stderr);
  free(text);
}
