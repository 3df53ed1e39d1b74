//! what: one overflow on several paths, in a build whose checks do not recover: one finding, named by its kind
//! finding: signed-overflow
//! flags: -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
#include <stdio.h>
#include <string.h>

static int add(int a, int b) {
    return a + b;
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    int value = 0;
    if (n < 5)
        return 0;
    memcpy(&value, b, 4);
    switch (b[4]) {
    case 'a': value = add(value, 5); break;
    case 'b': value = add(7, value); break;
    case 'c': value = add(value, 9); break;
    default: return 0;
    }
    printf("%d\n", value);
    return 0;
}
