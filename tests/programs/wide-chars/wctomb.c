//! what: wctomb and wcstombs write the bytes of UTF-8
//! seed: \xe4\0\0\0\xf6\0\0\0
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
int main(void) {
  wchar_t w[3] = {0};
  char out[16];
  setlocale(LC_ALL, "C.UTF-8");
  if (fread(w, 4, 2, stdin) != 2)
    return 0;
  if (wcstombs(out, w, sizeof out) == (size_t)-1)
    return 0;
  if (strcmp(out, "\xc3\x9f\xc3\xa8") == 0)
    fputs("SOLVED\n", stderr);
}
