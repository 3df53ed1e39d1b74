// Vectors of all element types and up to 512 bytes, through memory, calls and builtins.
// flags: -O2 -g -w -std=c2x
// stdin: \x00\x00\x00\x00\x00\x00\xf8\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbfabcdefgh12345678\x80\xff\x01\x7f\x3c\x00\xc0\x55Hello, 12345 world! 3.25 and 17
// events: 300
#include <stdio.h>
#include <string.h>
#include <stdint.h>
static int seen; static unsigned char box[2048];
__attribute__((noinline)) static void see(const void *p, int n) { memcpy(box, p, n); for (int i = 0; i < n; i++) { if (box[i] == 0x3f) seen++; if (box[i] & 1) seen += 3; } }
#define SEE(x) { __typeof__(x) v_ = (x); see(&v_, sizeof v_); }
#define V(N, T, C) typedef T N __attribute__((ext_vector_type(C)));
V(i4, int, 4) V(u4, unsigned, 4) V(s8, short, 8) V(c16, signed char, 16) V(uc16, unsigned char, 16) V(f4, float, 4) V(d2, double, 2) V(l2, long, 2) V(i3, int, 3) V(f8, float, 8) V(uc64, unsigned char, 64) V(uc256, unsigned char, 256) V(uc512, unsigned char, 512) V(h8, _Float16, 8) V(ld2, long double, 2) V(b16, bool, 16) V(b70, bool, 70)
struct big { int a[150]; }; struct mid { double d[10]; char c[21]; };
__attribute__((noinline)) static f4 pass(f4 a, i4 b, d2 c) { return a + __builtin_convertvector(b, f4) * (float)c.x; }
__attribute__((noinline)) static struct big bump(struct big b) { for (int i = 0; i < 150; i += 7) b.a[i] += 3; return b; }
__attribute__((noinline)) static struct mid bump2(struct mid b) { b.d[3] += b.d[4]; b.c[20] ^= 1; return b; }
int main(void) { unsigned char in[2048] = {0}; fread(in, 1, 512, stdin); memcpy(in + 512, in, 512); memcpy(in + 1024, in, 1024);
 for (int k = 0; k < 1; k++) { unsigned char *p = in + 19 * k;
 i4 a, b; memcpy(&a, p, 16); memcpy(&b, p + 16, 16); f4 f, g; memcpy(&f, p, 16); memcpy(&g, p + 16, 16); d2 d, e; memcpy(&d, p, 16); memcpy(&e, p + 32, 16); s8 s, t; memcpy(&s, p, 16); memcpy(&t, p + 16, 16); uc16 c, u; memcpy(&c, p, 16); memcpy(&u, p + 16, 16); h8 h, hh; memcpy(&h, p, 16); memcpy(&hh, p + 16, 16);
 SEE(a + b) SEE(a * b) SEE(a & b) SEE(a << (b & 31)) SEE(a >> (b & 31)) SEE((i4)(a < b)) SEE(a == b ? a : b) SEE(f + g) SEE(f * g) SEE(f / g) SEE(-f) SEE((i4)(f < g)) SEE((i4)(f != g)) SEE(f < g ? f : g) SEE(d + e) SEE(d * e) SEE(h + hh) SEE(h * hh) SEE((s8)(h < hh))
 SEE(__builtin_convertvector(a, f4)) SEE(__builtin_convertvector((u4)a, f4)) SEE(__builtin_convertvector(d, l2)) { f4 q = f < 1e9f && f > -1e9f ? f : (f4)1; SEE(__builtin_convertvector(q, i4)) }
 SEE(__builtin_shufflevector(a, b, 3, 5, 0, 6)) SEE(a.wzyx) SEE(f.xxyy) SEE(__builtin_elementwise_max(a, b)) SEE(__builtin_elementwise_min(f, g)) SEE(__builtin_elementwise_abs(a)) SEE(__builtin_elementwise_add_sat(s, t)) SEE(__builtin_elementwise_sub_sat(c, u)) SEE(__builtin_elementwise_floor(f)) SEE(__builtin_elementwise_sqrt(d)) SEE(__builtin_elementwise_sin(f)) SEE(__builtin_elementwise_fma(f, g, f)) SEE(__builtin_elementwise_copysign(f, g)) SEE(__builtin_elementwise_bitreverse(a))
 SEE(__builtin_reduce_add(a)) SEE(__builtin_reduce_mul(a)) SEE(__builtin_reduce_xor(c)) SEE(__builtin_reduce_max(s)) SEE(__builtin_reduce_min(f)) SEE(__builtin_reduce_max(d)) SEE(__builtin_reduce_and(a)) SEE(__builtin_reduce_or(a))
 SEE(pass(f, a, d)) i3 x3 = a.xyz; x3 += 1; SEE(x3) f8 w; memcpy(&w, p, 32); w = w * w + 1; SEE(w)
 a[p[0] & 3] = p[1]; SEE(a) SEE(b[p[2] & 3]) c[p[3] & 15] += 2; SEE(c)
 uc64 m; memcpy(&m, p, 64); m += 3; SEE(m) uc256 n; memcpy(&n, p, 256); n ^= 5; SEE(n) uc512 o; memcpy(&o, p, 512); o = o + o; SEE(o)
 b16 bb = __builtin_convertvector(c > u, b16); unsigned short mask; memcpy(&mask, &bb, 2); SEE(mask) b70 b7; memcpy(&b7, p, 9); b7 = ~b7; see(&b7, 8);
 ld2 L = __builtin_convertvector(d, ld2); L = L * L; long double L0 = L[0]; see(&L0, 10);
 struct big B; memcpy(&B, p, sizeof B); B = bump(B); SEE(B) struct mid M; memcpy(&M, p, sizeof M); M = bump2(M); see(&M, 101);
 _Complex double z = p[0] + 1.0i * p[1]; z = z + z; double re = __real__ z; SEE(re)
 int sum = 0; for (int i = 0; i < 64; i++) sum += p[i] * p[i + 1]; SEE(sum) float fs = 0; for (int i = 0; i < 16; i++) fs += p[i] * 0.5f; SEE(fs)
 int tab[16]; for (int i = 0; i < 16; i++) tab[i] = p[i] + i; see(tab, sizeof tab); 
 } printf("%d\n", seen); return 0; }
