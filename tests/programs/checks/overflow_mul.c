//! what: a product of sizes that overflows although both are checked
//! seed: \0\0\0\0
//! options: --find overflow,shift
//! finding: signed-overflow
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned short v[2];
    if (read(0, v, 4) != 4 || v[0] > 60000 || v[1] > 60000) return 0;
    int area = v[0] * v[1];
    return area == 12345;
}
