//! what: a value that depends on the input leaves through longjmp and comes back from setjmp
#include <setjmp.h>
#include <stdio.h>
static jmp_buf env;
static __attribute__((noinline)) void deep(int n, int v) {
    if (n == 0) longjmp(env, v * 3 + 1);
    deep(n - 1, v);
}
int main(void) {
    short s;
    if (fread(&s, 2, 1, stdin) != 1) return 0;
    int got = setjmp(env);
    if (got == 0) deep(5, s);
    if (got == 30001) fputs("SOLVED\n", stderr);
    return 0;
}
