//! what: a table indexed one place too far
//! finding: global-buffer-overflow
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int table[5] = {1, 2, 3, 4, 5};

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    unsigned at = b[0] - 'a';
    if (n > 0 && at <= 5)
        printf("%d\n", table[at]);
    return 0;
}
