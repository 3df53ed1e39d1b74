//! what: a write behind a heap block that the program survives
//! finding: heap-buffer-overflow
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[0] != 'H')
        return 0;
    char *block = calloc(1, 10);
    if (!block)
        return 1;
    if (b[1] > 9 && b[1] < 16)
        block[b[1]] = 'x';
    int result = block[1];
    free(block);
    return result;
}
