//! what: a shift by too much, in a build whose checks trap: the kind is known all the same
//! finding: shift
//! flags: -O1 -g -fsanitize=undefined -fsanitize-trap=all
#include <stdio.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 3 || b[0] != '<')
        return 0;
    unsigned low = 1u << b[1] % 30;
    unsigned high = 1u << b[2] % 40;
    printf("%u\n", low + high);
    return 0;
}
