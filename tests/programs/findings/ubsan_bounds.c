//! what: an index outside an array inside a structure
//! finding: out-of-bounds
//! flags: -O1 -g -fsanitize=bounds
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    int field[4];
    int behind;
};

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    struct record r = {{1, 2, 3, 4}, 5};
    if (n > 1 && b[0] == '[')
        printf("%d\n", r.field[b[1] % 5]);
    return 0;
}
