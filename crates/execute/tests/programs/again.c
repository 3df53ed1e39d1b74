/* A program whose main does what standard input names, for runs that share a process. Its variables are all in one array. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern uint8_t sp_coverage[] __attribute__((weak));
unsigned char sp_globals[64] = {7};
static void cover(int i) { if (sp_coverage) sp_coverage[i] = 1; }
static void handler(void) { cover(3); }
static void *leave(void *p) { exit(9); return p; }
__attribute__((noinline)) static int deep(int n) { if (n == 0) exit(21); return deep(n - 1) + 1; }

int main(int argc, char **argv) {
    char what[32] = "";
    cover(0);
    int c, n = 0;
    for (; (c = getchar()) != EOF && c != '.'; n++) if (n < 31) what[n] = c;
    if (!strcmp(what, "state")) return ++sp_globals[0] + sp_globals[1]++ + sp_globals[40]++;
    if (!strcmp(what, "deep")) return deep(50);
    if (!strcmp(what, "handler")) { atexit(handler); return 2; }
    if (!strcmp(what, "close")) { close(0); close(1); close(2); return 5; }
    if (!strcmp(what, "arguments")) { char *a = argv[1]; argv[1] = argv[2]; argv[2] = a; return strlen(argv[1]); }
    if (!strcmp(what, "thread")) { pthread_t t; pthread_create(&t, 0, leave, 0); pthread_join(t, 0); return 1; }
    if (!strcmp(what, "children")) { if (fork() == 0) exit(3); if (fork() == 0) return 4; return 6; }
    if (!strcmp(what, "abrupt")) _exit(11);
    if (!strcmp(what, "process")) return getpid() & 127;
    return n & 127;
}
