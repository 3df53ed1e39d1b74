/* Ends in the way that its input names. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
volatile int zero;
static int deeper(int n) { volatile char pad[4096]; pad[0] = n; return deeper(n + 1) + pad[0]; }
static void on(int s) { _exit(42); }
int sched_getcpu(void);
int crash_here(void) { return *(volatile int *)0x1234; }
int main(void) {
    char what[32] = "";
    if (!fgets(what, sizeof what, stdin)) return 7;
    if (!strcmp(what, "exit")) exit(3);
    if (!strcmp(what, "segv")) return crash_here();
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "assert")) assert(zero);
    if (!strcmp(what, "divide")) return 7 / zero;
    if (!strcmp(what, "stack")) return deeper(0);
    if (!strcmp(what, "own")) { signal(SIGSEGV, on); return crash_here(); }
    if (!strcmp(what, "sleep")) { signal(SIGTERM, SIG_IGN); for (;;) pause(); }
    if (!strcmp(what, "spin")) for (;;) zero = zero;
    if (!strcmp(what, "eat")) for (;;) { char *volatile p = malloc(1 << 20); if (!p) return 5; memset(p, 1, 1 << 20); }
    if (!strcmp(what, "eatforks")) for (;;) {
        if (fork() == 0) { char *volatile p = malloc(30 << 20); memset(p, 1, 30 << 20); pause(); }
        usleep(20000);
    }
    if (!strcmp(what, "bigfile")) { FILE *f = fopen("big", "w"); for (;;) fwrite(what, 1, sizeof what, f); }
    if (!strcmp(what, "stderr")) { fputs("the end of the story\n", stderr); return 4; }
    if (!strcmp(what, "cpu")) return 1 + sched_getcpu() % 100;
    return 0;
}
