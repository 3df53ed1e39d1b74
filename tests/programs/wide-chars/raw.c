//! what: wide characters straight from the input: wcslen, wcscmp, wmemcmp, wcsstr
//! seed: a\0\0\0b\0\0\0c\0\0\0d\0\0\0e\0\0\0f\0\0\0
//! goals: 3
#include <stdio.h>
#include <wchar.h>
int main(void) {
  wchar_t w[7] = {0};
  if (fread(w, sizeof *w, 6, stdin) != 6)
    return 0;
  if (wcscmp(w, L"wide") == 0)
    fputs("SOLVED 1\n", stderr);
  if (wmemcmp(w + 1, L"\u00e9\u4e2d", 2) == 0)
    fputs("SOLVED 2\n", stderr);
  wchar_t *p = wcsstr(w, L"xyz");
  if (p && p - w == 2)
    fputs("SOLVED 3\n", stderr);
}
