// stdin: 7
// stdin: 27 a b
// stdin: 1 -
// flags: -O0 -g
// events: 12
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
// Joined conditions in every place of the language: the value of each is that of the plain program.
static int calls;
static bool side(int x) { calls++; return x & 1; }
static bool value(int a, int b) { return a > 3 && b < 9; }
static bool either(int a, int b, int c) { bool r = a == 7 || (b == 'a' && c != 'b') || !c; return r; }
int main(void) {
  int n = 0, a = getchar();
  for (; a >= '0' && a <= '9'; a = getchar()) n = n * 10 + (a - '0');
  int b = getchar(), steps = 0;
  for (int x = n; x != 1 && steps < 40; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
  while ((b == ' ' || b == '-') && side(b) == 0 && calls < 5) b = getchar();
  do { steps += 3; } while (steps < 100 && (side(steps) || side(steps + 1)));
  int sum = value(n, steps) + 2 * either(n, a, b) + (n && steps ? 4 : 8) + (value(b, n) || side(b) ? 16 : 32);
  const char *p = "text", *q = p;
  while (*q && *q != 'x') q++;
  for (int i = 0; !(i >= 3 || (i == n && side(i))); i++) sum += i;
  printf("%d %d %d %d %d\n", n, steps, sum, calls, (int)(q - p));
  return n > 20 && either(n, b, a) && value(n, n);
}
