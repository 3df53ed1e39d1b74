//! what: iswalpha, iswdigit and towlower
//! seed: A\0\0\0B\0\0\0C\0\0\0
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>
int main(void) {
  wchar_t w[3];
  if (fread(w, sizeof *w, 3, stdin) != 3)
    return 0;
  if (iswalpha(w[0]) && iswdigit(w[1]) && towlower(w[2]) == L'k' && iswupper(w[2]) && towupper(w[0]) == L'R')
    fputs("SOLVED\n", stderr);
}
