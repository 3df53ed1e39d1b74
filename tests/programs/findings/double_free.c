//! what: a block that is freed twice
//! finding: double-free
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
    if (b[0] == 0x10 && b[3] == 0x7f)
        free(text);
    free(text);
    return 0;
}
