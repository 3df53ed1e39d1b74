// Labels through calls: recursion, variadic functions, function pointers, callbacks, wide and structure results.
// stdin: qwertyuiop
// events: 10
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
static jmp_buf env;
__attribute__((noinline)) static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(l, int); va_end(l); return s; }
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
struct two { long a, b; }; struct mixed { int a; double d; };
__attribute__((noinline)) static struct two two(int x) { struct two r = {x * 3, x + 1}; return r; }
__attribute__((noinline)) static struct mixed mixed(int x) { struct mixed r = {x ^ 1, 2.5}; return r; }
__attribute__((noinline)) static __int128 wide(unsigned char x) { return (__int128)x << 70 | x; }
static int compare(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
__attribute__((noinline)) static void leap(int x) { if (x == 'w') longjmp(env, x); }
int main(void) {
  unsigned char in[16]; int n = (int)fread(in, 1, 10, stdin);
  if (sum(9, in[0], in[1], 3, 4, 5, 6, 7, 8, in[2]) > 300) puts("sum");
  if (fib(in[0] & 7) == 1) puts("fib"); struct two t = two(in[1]); if (t.a > t.b + 200) puts("two");
  struct mixed m = mixed(in[2]); if (m.a == 100) puts("mixed"); if (wide(in[3]) >> 70 == 'r') puts("wide");
  volatile int k = 0; if (setjmp(env) == 0) { for (k = 0; k < n; k++) leap(in[k]); } else puts("leapt");
  int (*volatile f)(int) = fib; if (f(in[4] & 3) < 2) puts("indirect");
  qsort(in, (size_t)n, 1, compare); if (in[0] == 'e') puts("sorted"); printf("%.10s %g\n", in, m.d); return k;
}
