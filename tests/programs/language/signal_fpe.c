//! what: the program handles its own SIGFPE and goes on
//! goals: 2
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf env;
static void on_fpe(int s) { (void)s; siglongjmp(env, 7); }
int main(void) {
    unsigned char b[3];
    if (fread(b, 1, 3, stdin) != 3) return 0;
    signal(SIGFPE, on_fpe);
    volatile int q = 0;
    if (sigsetjmp(env, 1) == 0) q = 1000 / (b[0] - 'K');
    else {
        fputs("SOLVED 1\n", stderr);
        if (b[1] == 'x' && b[2] == 'y') fputs("SOLVED 2\n", stderr);
    }
    return q == 12345;
}
