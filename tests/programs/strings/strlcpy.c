//! what: a program's own strlcpy, as BSD programs bring it
#include <stdio.h>
#include <string.h>
static size_t strlcpy_(char *to, const char *from, size_t room) {
  size_t n = strlen(from);
  if (room) {
    size_t k = n < room - 1 ? n : room - 1;
    memcpy(to, from, k);
    to[k] = 0;
  }
  return n;
}
int main(void) {
  char line[32], out[6];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (strlcpy_(out, line, sizeof out) == 9 && strcmp(out, "trunc") == 0)
    fputs("SOLVED\n", stderr);
}
