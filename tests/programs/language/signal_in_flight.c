//! what: a handler that computes on symbolic data runs in the middle of symbolic computation and harms nothing
//! goals: 2
#include <signal.h>
#include <stdio.h>
static volatile unsigned handled;
static unsigned char key[2];
static __attribute__((noinline)) unsigned mix(unsigned a, unsigned b) { return a * 17 + b; }
static void on_usr1(int s) { (void)s; handled = mix(key[0], key[1]); }
int main(void) {
    unsigned char b[4];
    signal(SIGUSR1, on_usr1);
    if (fread(b, 1, 4, stdin) != 4) return 0;
    key[0] = b[0]; key[1] = b[1];
    unsigned x = b[2];
    for (int k = 0; k < 4; k++) {
        x = mix(x, b[3]);
        raise(SIGUSR1);
    }
    if (handled == 1234) fputs("SOLVED 1\n", stderr);
    if (x == 5272260) fputs("SOLVED 2\n", stderr);
    return 0;
}
