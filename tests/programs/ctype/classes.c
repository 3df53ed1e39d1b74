//! what: isalpha and the rest, through the tables of the C library
//! goals: 2
#include <ctype.h>
#include <stdio.h>
int main(void) {
  int c[6];
  for (int k = 0; k < 6; k++)
    c[k] = getchar();
  if (isupper(c[0]) && isdigit(c[1]) && ispunct(c[2]) && isspace(c[3]) && isxdigit(c[4]) && !isalnum(c[5]) &&
      c[5] != EOF)
    fputs("SOLVED 1\n", stderr);
  if (toupper(c[0]) == 'Q' && tolower(c[1]) == 'z' && c[0] == 'q' && c[1] == 'Z')
    fputs("SOLVED 2\n", stderr);
}
