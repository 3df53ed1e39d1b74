//! what: mbstowcs in the C locale, then wcscmp, wcslen and wcschr
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
int main(void) {
  char line[16];
  wchar_t wide[16];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  size_t n = mbstowcs(wide, line, 16);
  if (n == (size_t)-1)
    return 0;
  wchar_t *p = wcschr(wide, L'=');
  if (p && wcslen(wide) == 8 && wcsncmp(wide, L"key", 3) == 0 && wcscmp(p + 1, L"1ab\n") == 0)
    fputs("SOLVED\n", stderr);
}
