//! what: the smallest number divided by -1
//! seed: \x01\0\0\0\x01\0\0\0
//! options: --find div
//! finding: division-by-zero
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int v[2];
    if (read(0, v, 8) != 8 || v[1] == 0) return 0;
    printf("%d\n", v[0] / v[1]);
    return 0;
}
