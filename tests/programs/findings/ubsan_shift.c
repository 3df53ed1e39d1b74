//! what: a shift by too much, in a build with UndefinedBehaviorSanitizer
//! finding: shift
//! flags: -O1 -g -fsanitize=shift
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[0] != '<')
        return 0;
    printf("%u\n", 1u << b[1] % 40);
    return 0;
}
