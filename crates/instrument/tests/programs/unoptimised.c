// Built with -O0: everything through memory.
// flags: -O0 -g
// events: 6
#include <stdio.h>
static int twice(int x) { int y = x * 2; return y; }
int main(void) {
  char in[32]; int i = 0, c, v = 0; while ((c = getchar()) != EOF && i < 31) in[i++] = (char)c; in[i] = 0;
  for (char *p = in; *p; p++) { if (*p >= '0' && *p <= '9') v = v * 10 + (*p - '0'); else if (*p == ',') v = twice(v) + 1; }
  if (v == 12345) puts("exact"); printf("%d\n", v); return 0;
}
