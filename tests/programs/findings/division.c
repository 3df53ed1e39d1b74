//! what: a divisor that one input makes zero
//! finding: division-by-zero
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2)
        return 0;
    int divisor = b[0] * 3 - b[1];
    if (b[0] < 10 || divisor < 0)
        return 0;
    if (divisor > 0 && divisor < 5)
        return 1;
    printf("%d\n", 1000 / (divisor < 5 ? 0 : divisor));
    return 0;
}
