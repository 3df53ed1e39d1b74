//! what: a function that knows no input calls one that reads it through a pointer of another type, and goes on with what it read
//! goals: 2
#include <stdio.h>
typedef int (*source)(void *, int);
static int pull(void *to) { return *(unsigned char *)to = (unsigned char)getchar(); }
static int constant(void *to, int n) { return *(unsigned char *)to = (unsigned char)n; }
static source sources[2];
__attribute__((noinline)) static int twice(source s, unsigned char *b) {
    s(b, 'a');
    s(b + 1, 'b');
    if (b[0] == 'Z') fputs("SOLVED inside\n", stderr);
    return b[1];
}
int main(int argc, char **argv) {
    (void)argv;
    unsigned char b[2];
    sources[0] = constant;
    sources[1] = (source)(void *)pull;
    if (twice(sources[argc > 9], b) != 'b') return 1;
    if (twice(sources[1], b) == 'Y') fputs("SOLVED outside\n", stderr);
    return 0;
}
