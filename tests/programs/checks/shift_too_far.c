//! what: a shift by a count from the input
//! seed: \0
//! options: --find shift
//! finding: shift
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char n;
    if (read(0, &n, 1) != 1 || n > 32) return 0;
    printf("%u\n", 1u << n);
    return 0;
}
