//! what: sscanf with literals, %d, %x, %s and %c
//! runs: 2000
//! seed: x=-11,y=111 aa b\n
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], word[16], c;
  int x;
  unsigned y;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (sscanf(line, "x=%d,y=%x %15s %c", &x, &y, word, &c) == 4 && x == -77 && y == 0xabc &&
      strcmp(word, "ok") == 0 && c == '!')
    fputs("SOLVED\n", stderr);
}
