//! what: memmem finds bytes with NULs among them
//! flags: -D_GNU_SOURCE
#include <stdio.h>
#include <string.h>
int main(void) {
  char data[24];
  size_t n = fread(data, 1, sizeof data, stdin);
  char *p = memmem(data, n, "\0\1\2\0", 4);
  if (p && p - data == 9)
    fputs("SOLVED\n", stderr);
}
