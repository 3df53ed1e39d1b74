//! what: %ld, %lld, %zu, %hhd, %+d, %c and %s in one format
#include <stdio.h>
#include <string.h>
//! seed: 00000000abcdefghwxyz
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
  if (strcmp(text, "[3472328296227680304 symbols 55 z]") == 0)
    fputs("SOLVED\n", stderr);
}
