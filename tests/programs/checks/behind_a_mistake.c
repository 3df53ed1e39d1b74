//! what: an overflow behind a read that AddressSanitizer ends at: the checks alone show it
//! seed: \0\0\0\0\0\0\0\0
//! options: --find overflow --no-check
//! finding: signed-overflow
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 0;
    volatile char *block = malloc(8);
    if (!block) return 1;
    int before = block[8] & 0;
    if (v[0] < 1000 || v[1] < 0) return before;
    printf("%d\n", v[0] + v[1]);
    return 0;
}
