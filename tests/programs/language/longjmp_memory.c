//! what: labels survive a longjmp in memory, in locals of the frame that called setjmp and in volatile ones
//! goals: 3
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf env;
static unsigned char global[4];
static __attribute__((noinline)) void leave(volatile int *v, int x) {
    *v = x ^ 0x1234;
    global[2] = (unsigned char)(x >> 3);
    longjmp(env, 1);
}
int main(void) {
    unsigned char b[4];
    volatile int changed = 0;
    if (fread(b, 1, 4, stdin) != 4) return 0;
    int before = b[0] * 256 + b[1];
    if (sigsetjmp(env, 1) == 0) leave(&changed, b[2] * 256 + b[3]);
    if (changed == 0x7777) fputs("SOLVED 1\n", stderr);
    if (before == 0xbeef) fputs("SOLVED 2\n", stderr);
    if (global[2] == 0x4e && b[3] == 'q') fputs("SOLVED 3\n", stderr);
    return 0;
}
