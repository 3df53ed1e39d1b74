//! what: classes after setlocale to a UTF-8 locale
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  int a = getchar(), b = getchar(), c = getchar();
  if (isalpha(a) && isalpha(b) && toupper(a) == b && isdigit(c) && c == '7' && a == 'm')
    fputs("SOLVED\n", stderr);
}
