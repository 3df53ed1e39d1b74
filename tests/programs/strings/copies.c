//! what: strdup, strndup, stpcpy, strncat and memccpy keep what they copy symbolic
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[32], out[96] = "<";
  if (!fgets(line, sizeof line, stdin) || strlen(line) < 8)
    return 0;
  char *a = strndup(line, 3), *b = strdup(line + 3);
  char *end = stpcpy(out + 1, a);
  *end++ = '|';
  *end = 0;
  strncat(out, b, 3);
  char tail[8] = {0};
  memccpy(tail, b, 'q', 6);
  if (strcmp(out, "<key|val") == 0 && tail[5] == 0 && strcmp(tail, "valzq") == 0)
    fputs("SOLVED\n", stderr);
  free(a);
  free(b);
}
