/* A fuzz target that does what its input names, for runs that share a process. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
extern uint8_t sp_coverage[] __attribute__((weak));
static uint8_t none[8];
static int runs;
static char *volatile held;
static void count(int place) {
    uint8_t *at = (sp_coverage ? sp_coverage : none) + place;
    *at = *at == 255 ? 1 : *at + 1;
}
static void scribble(int value) {
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512]; unsigned long a, b; char mode[8]; int n = 0;
    struct { unsigned long a, b; } r[16];
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "memfd:spelunk") && sscanf(line, "%lx-%lx %4s", &a, &b, mode) == 3 && n < 16) { r[n].a = a; r[n].b = b; n++; }
    for (int i = 0; i < n; i++) {
        unsigned long len = r[i].b - r[i].a;
        memset((void *)r[i].a, value, len < (96u << 20) ? len : (96u << 20));
    }
    if (f) fclose(f);
}
int sched_getcpu(void);
static void *rest(void *p) { for (;;) pause(); return p; }
int LLVMFuzzerTestOneInput(const uint8_t *data, __SIZE_TYPE__ n) {
    char what[32] = "";
    memcpy(what, data, n < 31 ? n : 31);
    runs++;
    count(0);
    if (!strncmp(what, "loop", 4)) { for (int i = 0; i < atoi(what + 4); i++) count(1); return 0; }
    if (!strncmp(what, "place", 5)) { count(2 + (what[5] & 3)); return 0; }
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "cpu")) exit(1 + sched_getcpu() % 100);
    if (!strcmp(what, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(what, "exit")) exit(3);
    if (!strcmp(what, "exit0")) _exit(0);
    if (!strcmp(what, "spin")) for (;;) ;
    if (!strcmp(what, "sleep")) sleep(1000);
    if (!strcmp(what, "eat")) for (;;) { held = malloc(1 << 20); memset(held, 1, 1 << 20); }
    if (!strcmp(what, "leak")) { held = malloc(1 << 20); memset(held, 1, 1 << 20); return 0; }
    if (!strcmp(what, "files")) { for (int i = 0; i < 4; i++) open("/dev/null", O_RDONLY); return 0; }
    if (!strcmp(what, "thread")) { pthread_t t; pthread_create(&t, 0, rest, 0); return 0; }
    if (!strcmp(what, "child")) { if (fork() == 0) for (;;) pause(); return 0; }
    if (!strcmp(what, "again")) { if (runs > 1) { if (runs > 40) abort(); count(6); } return 0; }
    if (!strcmp(what, "state")) { if (runs > 2) count(7); return 0; }
    if (!strcmp(what, "closeall")) { for (int i = 0; i < 1024; i++) close(i); return 0; }
    if (!strcmp(what, "kill0")) kill(0, SIGKILL);
    if (!strcmp(what, "killparent")) { kill(getppid(), SIGKILL); kill(getppid(), SIGSTOP); return 0; }
    if (!strcmp(what, "stop")) raise(SIGSTOP);
    if (!strcmp(what, "lie")) { uint32_t a[4] = {1u << 30, 0, 0, 0}; write(197, a, sizeof a); return 0; }
    if (!strncmp(what, "scribble", 8)) { scribble(atoi(what + 8)); return 0; }
    return 0;
}
