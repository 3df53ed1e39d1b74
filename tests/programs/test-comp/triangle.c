//! what: kinds of triangles by their sides
//! goals: 4
#include <stdio.h>
extern unsigned short __VERIFIER_nondet_ushort(void);

static int is_triangle(unsigned a, unsigned b, unsigned c) { return a + b > c && b + c > a && a + c > b; }

int main(void) {
    unsigned a = __VERIFIER_nondet_ushort(), b = __VERIFIER_nondet_ushort(), c = __VERIFIER_nondet_ushort();
    if (!is_triangle(a, b, c)) return 1;
    if (a == b && b == c) fputs("SOLVED equilateral\n", stderr);
    else if (a == b || b == c || a == c) fputs("SOLVED isosceles\n", stderr);
    else if (a * a + b * b == c * c) fputs("SOLVED right-angled\n", stderr);
    else fputs("SOLVED scalene\n", stderr);
    return 0;
}
