//! what: a block that is read after it was freed
//! finding: use-after-free
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    char *text = calloc(1, 16);
    if (!text)
        return 1;
    if (n > 1 && b[0] == '!') {
        free(text);
        if (b[1] == '?')
            printf("%d\n", text[3]);
        return 0;
    }
    free(text);
    return 0;
}
