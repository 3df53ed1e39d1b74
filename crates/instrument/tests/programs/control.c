// switch of all kinds, ?:, computed goto, indirect calls, loops.
// stdin: abcdeFGH+-*/012
// stdin: zzzzzzzzzzz
// events: 20
#include <stdio.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const ops[])(int, int) = {add, sub, mul};
static int classify(int c) {
  switch (c) { case 'a': return 1; case 'b': case 'c': return 2; case 'd' ... 'h': return 3; case 1000: return 9; default: return c > 'X' ? 4 : 5; }
}
static int dispatch(const unsigned char *p, int n) {
  static const void *const table[] = {&&zero, &&one, &&two, &&three};
  int acc = 0, i = 0;
next:
  if (i >= n) return acc;
  goto *table[p[i++] & 3];
zero: acc += 1; goto next;
one: acc ^= 5; goto next;
two: acc *= 3; goto next;
three: acc -= i; goto next;
}
int main(void) {
  unsigned char in[32]; int n = (int)fread(in, 1, 32, stdin), acc = 0;
  for (int i = 0; i < n; i++) { acc = ops[in[i] % 3](acc, classify(in[i])); acc += in[i] > 'c' ? 7 : in[i] == 'b' ? 2 : 0; }
  switch (((long)acc * 3) % 11) { case 0: puts("zero"); break; case 3: puts("three"); break; case -4: puts("minus four"); break; }
  printf("%d %d\n", acc, dispatch(in, n));
  return 0;
}
