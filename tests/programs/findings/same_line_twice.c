//! what: one mistake on many paths is one finding
//! finding: null-dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile nothing;

static int use(int which) {
    return *nothing + which;
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[1] != '0')
        return 0;
    int result = 0;
    switch (b[0]) {
    case 'a': result = 1; break;
    case 'b': result = 2; break;
    case 'c': result = 3; break;
    case 'd': result = 4; break;
    default: return 0;
    }
    return use(result);
}
