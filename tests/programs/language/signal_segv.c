//! what: the program handles its own SIGSEGV with sigaction on its own stack and goes on
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static sigjmp_buf env;
static void on_segv(int s, siginfo_t *i, void *c) {
    (void)s; (void)c;
    siglongjmp(env, i->si_addr == (void *)0x40 ? 2 : 1);
}
int main(void) {
    unsigned char b[2];
    static char stack[65536];
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa;
    if (fread(b, 1, 2, stdin) != 2) return 0;
    sigaltstack(&ss, 0);
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = on_segv;
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &sa, 0);
    int got = sigsetjmp(env, 1);
    if (got == 0 && b[0] == 0x77) *(volatile int *)0x40 = 1;
    if (got == 2 && b[1] == 0x99) fputs("SOLVED\n", stderr);
    return 0;
}
