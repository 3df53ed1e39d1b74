// The mathematics library: every function is an expression, none loses its data.
// stdin: \x00\x00\x00\x00\x00\x00\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbfabcdefgh12345678
// events: 300
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <math.h>
static int seen; static unsigned char box[32];
__attribute__((noinline)) static void see(const void *p, int n) { memcpy(box, p, n); for (int i = 0; i < n; i++) { if (box[i] == 0x3f) seen++; if (box[i] & 1) seen += 3; } }
#define S(g) { double r = g(a); see(&r, 8); float q = g##f(fa); see(&q, 4); long double s = g##l(la); see(&s, 10); }
#define S2(g) { double r = g(a, b); see(&r, 8); float q = g##f(fa, fb); see(&q, 4); long double s = g##l(la, lb); see(&s, 10); }
int main(void) { unsigned char in[512] = {0}; fread(in, 1, 512, stdin);
 for (int k = 0; k < 2; k++) { double a, b, c; memcpy(&a, in + k * 8, 8); memcpy(&b, in + 8 + k * 8, 8); memcpy(&c, in + 16 + k * 8, 8); float fa, fb, fc; memcpy(&fa, in + 4 * k, 4); memcpy(&fb, in + 4 + 4 * k, 4); memcpy(&fc, in + 8 + 4 * k, 4);
  long double la = a, lb = fb; signed char n = in[k];
  S(sin) S(cos) S(tan) S(asin) S(acos) S(atan) S(sinh) S(cosh) S(tanh) S(asinh) S(acosh) S(atanh) S(exp) S(exp2) S(exp10) S(expm1) S(log) S(log2) S(log10) S(log1p) S(cbrt) S(erf) S(erfc)
  S(lgamma) S(sqrt) S(floor) S(ceil) S(trunc) S(rint) S(nearbyint) S(round) S(roundeven) S(fabs) S(logb)
  if (fabs(a) < 100) S(tgamma)
  if (fabs(a) < 1e6) { S(j0) S(j1) S(y0) S(y1) }
  S2(pow) S2(atan2) S2(hypot) S2(remainder) S2(nextafter) S2(fdim) S2(fmin) S2(fmax) S2(fmod) S2(copysign) S2(drem)
  { double r = fma(a, b, c); see(&r, 8); float q = fmaf(fa, fb, fc); see(&q, 4); long double s = fmal(la, lb, 3.5L); see(&s, 10); }
  { double r = ldexp(a, n); see(&r, 8); float q = ldexpf(fa, n); see(&q, 4); long double s = ldexpl(la, n); see(&s, 10); r = scalbn(a, n * 9); see(&r, 8); r = scalbln(b, n); see(&r, 8); }
  { int e, f, g; double r = frexp(a, &e); see(&r, 8); see(&e, 4); float q = frexpf(fa, &f); see(&q, 4); see(&f, 4); long double s = frexpl(la, &g); see(&s, 10); see(&g, 4); }
  { double i; double r = modf(a, &i); see(&r, 8); see(&i, 8); float j; float q = modff(fa, &j); see(&q, 4); see(&j, 4); long double m; long double s = modfl(la, &m); see(&s, 10); see(&m, 10); }
  { double u, v; sincos(a, &u, &v); see(&u, 8); see(&v, 8); float x, y; sincosf(fa, &x, &y); see(&x, 4); see(&y, 4); }
  if (fabs(a) < 9e18) { long l = lrint(a); see(&l, 8); l = lround(a); see(&l, 8); l = llrint(a); see(&l, 8); l = llround(a); see(&l, 8); l = lrintl(la); see(&l, 8); }
  if (fabsf(fa) < 9e18) { long l = lrintf(fa); see(&l, 8); l = lroundf(fa); see(&l, 8); }
  { int i = ilogb(a); see(&i, 4); i = ilogbf(fa); see(&i, 4); i = ilogbl(la); see(&i, 4); }
  seen += isnan(a) + 2 * isinf(a) + 4 * !!finite(a) + 8 * !!signbit(a) + fpclassify(a) + isnan(la) + 2 * isinf(la) + fpclassify(la) + isnan(fa) + isinf(fa) + fpclassify(fa) + !!signbit(la) + isnormal(a);
  { double complex_re = __builtin_fmin(a, b), m = __builtin_fmax(a, b); see(&complex_re, 8); see(&m, 8); }
 }
 printf("%d\n", seen); return 0; }
