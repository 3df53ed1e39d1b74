//! what: a pending alarm does not disturb a run that ends before it
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void on_alarm(int s) { (void)s; _exit(3); }
int main(void) {
    signal(SIGALRM, on_alarm);
    alarm(5);
    int a = getchar(), b = getchar();
    if (a * b == 'Q' * 'S' && a < b) fputs("SOLVED\n", stderr);
    alarm(0);
    return 0;
}
