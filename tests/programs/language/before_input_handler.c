//! what: a signal's handler reads input while a function without any runs, which then sees it
//! goals: 2
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned char got[2];
static volatile int ticks;
static void on_signal() {
    unsigned char b[2];
    if (read(0, b, 2) == 2) {
        got[0] = b[0];
        got[1] = b[1];
    }
    ticks = 1;
}
__attribute__((noinline)) static int work(int rounds) {
    volatile int spin = 0;
    while (!ticks && spin < rounds) ++spin;
    if (got[0] == 'J' && got[1] == 'L') fputs("SOLVED at once\n", stderr);
    return got[1];
}
int main(void) {
    struct sigaction a = {0};
    a.sa_handler = (void (*)(int))on_signal;
    sigaction(SIGALRM, &a, 0);
    ualarm(2000, 0);
    if (work(100000000) == 'K') fputs("SOLVED later\n", stderr);
    return 0;
}
