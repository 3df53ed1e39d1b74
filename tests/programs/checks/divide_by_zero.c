//! what: a divisor that is zero for one value of a sum
//! seed: \0\0
//! options: --find div
//! finding: division-by-zero
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[2];
    if (read(0, in, 2) != 2) return 0;
    double x = 1;
    int d = in[0] + 3 * in[1] - 333;
    if (d != 0) return 0;
    if (in[0] == 33) x = (double)(7u % (unsigned)(d + (in[1] != 100)));
    printf("%g\n", x);
    return 0;
}
