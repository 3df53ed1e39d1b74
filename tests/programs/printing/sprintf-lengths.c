//! what: %ld, %+hd, %hhd, %c and %s in one format
//! seed: 4\x01\0\0\0\0\0\0abcdefghwx
//! runs: 1000
#include <stdio.h>
#include <string.h>
int main(void) {
  struct {
    long a;
    char word[8];
    signed char small;
    char c;
  } in;
  char text[128];
  if (fread(&in, 18, 1, stdin) != 1)
    return 0;
  in.word[7] = 0;
  sprintf(text, "[%ld %s %hhd %c]", in.a, in.word, in.small, in.c);
  if (strcmp(text, "[308 symbols 55 z]") == 0)
    fputs("SOLVED\n", stderr);
}
