// Floating point: arithmetic, comparisons, library functions, bits in memory.
// events: 4
#include <math.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  unsigned char in[32] = {0}; fread(in, 1, 20, stdin); double d = in[0] * 1.5 + in[1]; float f = in[2] / 3.0f; long double l = in[3] * 1.25L;
  if (d > 100) puts("d"); if (f < 30) puts("f"); if (l > 1) puts("l"); int k = (int)sqrt(d + l); double e; memcpy(&e, in, 8); unsigned long u; memcpy(&u, &e, 8);
  if ((u & 255) == 'H') puts("bits"); if (isnan(e)) puts("nan"); printf("%g %g %Lg %d\n", d, f, l, k); return 0;
}
