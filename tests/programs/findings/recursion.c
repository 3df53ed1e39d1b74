//! what: nesting that the input decides, without end for one letter
//! finding: stack-exhaustion
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int depth(const unsigned char *at, int so_far) {
    volatile char frame[512];
    frame[0] = (char)so_far;
    switch (*at) {
    case '(': return depth(at + 1, so_far + 1) + frame[0];
    case '@': return depth(at, so_far + 1) + frame[0];
    default: return so_far;
    }
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    b[7] = 0;
    printf("%d %d\n", (int)n, depth(b, 0));
    return 0;
}
