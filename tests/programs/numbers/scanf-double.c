//! what: scanf %lf and %f
//! seed: 1.25 3\n
#include <stdio.h>
int main(void) {
  double a;
  float b;
  if (scanf("%lf %f", &a, &b) == 2 && a == 2.75 && b == 8)
    fputs("SOLVED\n", stderr);
}
