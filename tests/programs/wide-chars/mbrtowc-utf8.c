//! what: mbrtowc decodes UTF-8
//! seed: \xc3\xa4\xe2\x82\xacxyz
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
int main(void) {
  char in[9] = {0};
  setlocale(LC_ALL, "C.UTF-8");
  if (fread(in, 1, 8, stdin) != 8)
    return 0;
  mbstate_t s;
  memset(&s, 0, sizeof s);
  wchar_t a, b;
  size_t n = mbrtowc(&a, in, 8, &s);
  if (n == (size_t)-1 || n == (size_t)-2)
    return 0;
  size_t m = mbrtowc(&b, in + n, 8 - n, &s);
  if (m == (size_t)-1 || m == (size_t)-2)
    return 0;
  if (a == 0xf6 && b == 0x20bd && in[n + m] == '!')
    fputs("SOLVED\n", stderr);
}
