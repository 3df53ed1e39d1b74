//! what: fseek and rewind on standard input, to an offset from the data
//! seed: \x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0
#include <stdio.h>
#include <string.h>
int main(void) {
  unsigned char at;
  char tag[4];
  if (fread(&at, 1, 1, stdin) != 1 || at > 12)
    return 0;
  if (fseek(stdin, at, SEEK_SET) || fread(tag, 1, 4, stdin) != 4)
    return 0;
  rewind(stdin);
  if (memcmp(tag, "TAG1", 4) == 0 && fgetc(stdin) == at && at == 9)
    fputs("SOLVED\n", stderr);
}
