//! what: longjmp with 0 makes setjmp return 1
//! goals: 2
#include <setjmp.h>
#include <stdio.h>
static jmp_buf env;
int main(void) {
    int c = getchar();
    volatile int first = 1;
    int got = _setjmp(env);
    if (first) {
        first = 0;
        longjmp(env, (c & 0xf0) - 0x40);
    }
    if (got == 1) fputs("SOLVED 1\n", stderr);
    if (got == 0x30) fputs("SOLVED 2\n", stderr);
    return 0;
}
