// Copies, fills, structures, unions, symbolic indexes, tables.
// stdin: 9876543210abcdefghijABCDEFGHIJ!@#$%^&*()
// events: 12
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { short a; int b; char c[6]; };
union pun { float f; unsigned u; unsigned char b[4]; };
static const unsigned char map[256] = {['9'] = 3, ['8'] = 7, ['7'] = 1, ['a'] = 200};
static int table[64];
__attribute__((noinline)) static struct pair make(const unsigned char *p) { struct pair r; memcpy(&r, p, sizeof r); r.b ^= p[1]; return r; }
__attribute__((noinline)) static int by_value(struct pair p, int k) { p.c[2] ^= k; return p.a + p.b + p.c[2]; }
struct big { int v[12]; };
__attribute__((noinline)) static int big_by_value(struct big b, int k) { b.v[k & 7] += 1; return b.v[0] + b.v[k & 7] * 3 + b.v[11]; }
int main(void) {
  unsigned char in[64] = {0}, copy[64]; size_t n = fread(in, 1, 40, stdin);
  memcpy(copy, in, n); memmove(copy + 3, copy, 20); memset(copy + 30, in[2], 5);
  if (copy[5] == '8') puts("moved"); if (copy[32] == '7') puts("filled");
  struct pair p = make(in + 2), *h = malloc(sizeof *h); *h = p; 
  if (h->b > 1000) puts("large"); if (by_value(*h, in[0]) & 1) puts("odd");
  union pun u; u.b[0] = in[0]; u.b[1] = in[1]; u.b[2] = in[2]; u.b[3] = 0x40; if ((u.u & 0xff00) == 0x3800) puts("pun");
  float f = u.f; unsigned back; memcpy(&back, &f, 4); if (back > 0x40373000) puts("float bits");
  if (map[in[0]] == 3) puts("nine"); table[in[3] & 63] = in[4]; if (table[in[5] & 63] == 0) puts("empty");
  struct big b; for (int i = 0; i < 12; i++) b.v[i] = in[i]; if (big_by_value(b, in[1]) == 400) puts("exact"); else puts("other");
  unsigned x = 0; for (size_t i = 0; i < n; i++) x = (x >> 8) ^ (unsigned)map[(x ^ in[i]) & 255] * 0x01010101u;
  if (x > 0x7fffffff) puts("high"); printf("%u\n", x);
  char *s = (char *)in; if (strchr(s, 'c')) puts("has c"); if (strncmp(s, "9876", 4) == 0) puts("prefix"); if (strlen(s) > 12) puts("long");
  free(h); return 0;
}
