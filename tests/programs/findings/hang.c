//! what: a loop whose step may be zero
//! finding: hang
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    unsigned step = n > 1 && b[0] == '%' ? b[1] & 0xf : 1;
    unsigned steps = 0;
    for (unsigned at = 0; at < 64; at += step)
        steps++;
    printf("%u\n", steps);
    return 0;
}
