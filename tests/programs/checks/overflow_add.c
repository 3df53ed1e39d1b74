//! what: a signed addition that overflows for one kind of input
//! seed: \0\0\0\0\0\0\0\0
//! options: --find overflow
//! finding: signed-overflow
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int v[2];
    if (read(0, v, 8) != 8 || v[0] < 1000 || v[1] < 0) return 0;
    printf("%d\n", v[0] + v[1]);
    return 0;
}
