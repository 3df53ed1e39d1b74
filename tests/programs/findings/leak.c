//! what: a block that one path forgets
//! finding: leak
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    char *copy = malloc(24);
    if (!copy)
        return 1;
    memcpy(copy, b, sizeof b);
    if (n > 2 && copy[0] == 'e' && copy[2] == 'r') {
        copy = NULL;
        fputs("error\n", stderr);
        return 2;
    }
    free(copy);
    return 0;
}
