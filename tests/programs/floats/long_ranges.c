//! what: ranges of long doubles
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\xf0\x3f
//! infeasible: 3
#include <math.h>
#include <stdio.h>

int main(void) {
    double read;
    if (fread(&read, sizeof read, 1, stdin) != 1) return 0;
    long double x = read;
    if (x * x < 0.0L) puts("a negative square");
    if (x > 3.0L && x * x < 8.0L) puts("a small square");
    if (sqrtl(x) > 10.0L && x < 99.0L) puts("a large root");
    return 0;
}
