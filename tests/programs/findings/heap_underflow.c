//! what: a read before a heap block
//! finding: heap-buffer-overflow
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 3)
        return 0;
    int *table = calloc(4, sizeof *table);
    if (!table)
        return 1;
    int at = b[0] - b[1];
    int value = 0;
    if (at == -1 && b[2] == 'u')
        value = table[at];
    printf("%d\n", value);
    free(table);
    return 0;
}
