//! what: a pointer into a block is freed
//! finding: bad-free
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    char *text = malloc(16);
    if (!text)
        return 1;
    text[0] = (char)n;
    free(text + (b[0] * 2 == 84 ? 4 : 0));
    return 0;
}
