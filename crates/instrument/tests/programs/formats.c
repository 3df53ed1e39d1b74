// Arithmetic, conversion, comparison, classification in all formats.
// stdin: \x00\x00\x00\x00\x00\x00\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbfabcdefgh12345678
// events: 300
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <stdint.h>
static int seen; static unsigned char box[32];
__attribute__((noinline)) static void see(const void *p, int n) { memcpy(box, p, n); for (int i = 0; i < n; i++) { if (box[i] == 0x3f) seen++; if (box[i] & 1) seen += 3; } }
#define T(NAME, TY, N) \
__attribute__((noinline)) static TY NAME##_mix(TY a, TY b, int k) { TY r = a; switch (k) { case 0: r = a + b; break; case 1: r = a - b; break; case 2: r = a * b; break; case 3: r = a / b; break; \
  case 4: r = -a; break; case 5: r = a < b ? a : b; break; case 6: r = (TY)(a > b) + (a >= b) * 2 + (a <= b) * 4 + (a == b) * 8 + (a != b) * 16 + __builtin_isunordered(a, b) * 32 + __builtin_islessgreater(a, b) * 64 + !(a < b) * 128; break; \
  case 7: r = a * b + a; break; } return r; } \
static void NAME(const unsigned char *in) { TY a, b; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); memcpy(&a, in, N); memcpy(&b, in + N, N); \
  for (int k = 0; k < 8; k++) { TY r = NAME##_mix(a, b, k); see(&r, N); if (r > 1) seen++; if (!(r <= 2)) seen++; if (__builtin_isnan(r)) seen += 7; if (__builtin_isinf(r)) seen += 9; if (__builtin_isnormal(r)) seen += 5; if (__builtin_isfinite(r)) seen += 2; if (__builtin_signbit(r)) seen++; seen += __builtin_fpclassify(1,2,3,4,5,r); } \
  if (a > -2e9 && a < 2e9) { int i = (int)a; long l = (long)a; short s = (short)a; see(&i, 4); see(&l, 8); see(&s, 2); if (a > 0) { unsigned u = (unsigned)a; unsigned long ul = (unsigned long)b; see(&u, 4);} } \
  if (b >= 0 && b < 1.8e19) { unsigned long ul = (unsigned long)b; see(&ul, 8); } \
  int i; long l; unsigned u; unsigned long ul; signed char c; memcpy(&i, in, 4); memcpy(&l, in + 3, 8); u = i; ul = l; c = i; TY f; f = i; see(&f, N); f = l; see(&f, N); f = u; see(&f, N); f = ul; see(&f, N); f = c; see(&f, N); }
T(fd, double, 8)
T(ff, float, 4)
T(fl, long double, 10)
T(fh, _Float16, 2)
static void cvt(const unsigned char *in) { double d; float f; long double l = 0; _Float16 h; memcpy(&d, in, 8); memcpy(&f, in, 4); memcpy(&l, in, 10); memcpy(&h, in, 2);
  float a = d; double b = f; long double c = d; double e = l; float g = l; _Float16 x = f, y = d; float z = h; double w = h; long double v = f, q = h; _Float16 o = l;
  see(&a,4); see(&b,8); see(&c,10); see(&e,8); see(&g,4); see(&x,2); see(&y,2); see(&z,4); see(&w,8); see(&v,10); see(&q,10); see(&o,2); }
int main(void) { unsigned char in[512] = {0}; fread(in, 1, 512, stdin);
  for (int k = 0; k < 3; k++) { fd(in + 8 * k); ff(in + 4 * k); fl(in + 5 * k); fh(in + 2 * k); cvt(in + 7 * k); }
  printf("%d\n", seen); return 0; }
