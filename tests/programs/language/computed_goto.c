//! what: an interpreter with computed goto: the input is its program
#include <stdio.h>
int main(void) {
    static const void *const table[] = {&&add, &&sub, &&dup, &&swap, &&end};
    unsigned char code[8] = {4, 4, 4, 4, 4, 4, 4, 4};
    size_t n = fread(code, 1, 7, stdin);
    (void)n;
    int a = 1, b = 3, pc = 0;
#define NEXT goto *table[code[pc++] % 5]
    NEXT;
add: a += b; NEXT;
sub: a -= b; NEXT;
dup: b = a; NEXT;
swap: { int t = a; a = b; b = t; } NEXT;
end:
    if (a == 8 && b == 4) fputs("SOLVED\n", stderr);
    return 0;
}
