//! what: a function that knows no input calls one that reads it through a pointer of another type, and goes on with what it read
//! goals: 2
#include <stdio.h>
typedef int (*source)(void *, int);
static int pull(void *to) {
    unsigned n = 0;
    for (int k = 0; k < 4; ++k) n = n << 8 | (unsigned char)getchar();
    return (int)(*(unsigned *)to = n);
}
static int constant(void *to, int n) { return (int)(*(unsigned *)to = (unsigned)n); }
static volatile source sources[2];
__attribute__((noinline)) static unsigned twice(source s, unsigned *b) {
    s(b, 'a');
    s(b + 1, 'b');
    if (b[0] == 0x12345678) fputs("SOLVED inside\n", stderr);
    return b[1];
}
int main(int argc, char **argv) {
    (void)argv;
    unsigned b[2];
    sources[0] = constant;
    sources[1] = (source)(void *)pull;
    if (twice(sources[argc > 9], b) != 'b') return 1;
    if (twice(sources[1], b) == 0x89abcdef) fputs("SOLVED outside\n", stderr);
    return 0;
}
