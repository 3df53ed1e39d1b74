//! what: wcstol of wide digits
//! seed: 1\0\0\0002\0\0\0003\0\0\0
#include <stdio.h>
#include <wchar.h>
int main(void) {
  wchar_t w[5] = {0};
  if (fread(w, 4, 3, stdin) != 3)
    return 0;
  if (wcstol(w, NULL, 10) == 907)
    fputs("SOLVED\n", stderr);
}
