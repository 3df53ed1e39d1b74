//! what: a byte-code machine whose handlers are called through a table: a sequence of calls is wanted
//! seed: \0\0\0\0
//! runs: 400
#include <stdio.h>
#include <unistd.h>
static int stack[8], top;
static void nop(void) {}
static void one(void) { if (top < 8) stack[top++] = 1; }
static void add(void) { if (top > 1) { top--; stack[top - 1] += stack[top]; } }
static void twin(void) { if (top > 0 && top < 8) { stack[top] = stack[top - 1]; top++; } }
static void (*const code[4])(void) = {nop, one, add, twin};
int main(void) {
    unsigned char in[4];
    if (read(0, in, 4) != 4) return 0;
    for (int k = 0; k < 4; k++) {
        if (in[k] > 3) return 0;
        code[in[k]]();
    }
    if (top == 1 && stack[0] == 2) fputs("SOLVED\n", stderr);
    return 0;
}
