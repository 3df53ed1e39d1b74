/* Does what its input names, then answers as always: 17. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>
static void fill(void) {
    static char block[1 << 20];
    for (int i = 0; i < 4000; i++) {
        char name[32]; sprintf(name, "f%d", i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (fd < 0) return;
        for (int k = 0; k < 4; k++) if (write(fd, block, sizeof block) <= 0) { close(fd); return; }
        close(fd);
    }
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
}
int main(void) {
    char what[32] = "";
    if (!fgets(what, sizeof what, stdin)) return 18;
    if (!strcmp(what, "bomb")) for (;;) fork();
    if (!strcmp(what, "kill0")) kill(0, SIGKILL);
    if (!strcmp(what, "killall")) kill(-1, SIGKILL);
    if (!strcmp(what, "killparent")) { kill(getppid(), SIGKILL); kill(getppid(), SIGSEGV); kill(getppid(), SIGSTOP); }
    if (!strcmp(what, "closeall")) for (int i = 0; i < 1024; i++) close(i);
    if (!strcmp(what, "closeandread")) { for (int i = 0; i < 1024; i++) close(i); char c; return read(199, &c, 1) + read(198, &c, 1) + 19; }
    if (!strcmp(what, "scribble0")) scribble(0);
    if (!strcmp(what, "scribbleff")) scribble(255);
    if (!strcmp(what, "scribble01")) scribble(1);
    if (!strcmp(what, "fill")) fill();
    if (!strcmp(what, "daemon")) { if (fork() == 0) { setsid(); if (fork() == 0) { prctl(PR_SET_PDEATHSIG, 0); signal(SIGTERM, SIG_IGN); for (;;) pause(); } _exit(0); } }
    if (!strcmp(what, "manydaemons")) for (int i = 0; i < 20; i++) if (fork() == 0) { setsid(); for (;;) pause(); }
    if (!strcmp(what, "stopped")) { raise(SIGSTOP); }
    if (!strcmp(what, "ptrace")) { if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0) { sleep(1); ptrace(PTRACE_KILL, getppid(), 0, 0); } }
    if (!strcmp(what, "stdinflags")) { fcntl(0, F_SETFL, O_NONBLOCK | O_APPEND); lseek(0, 1000, SEEK_SET); ftruncate(0, 0); }
    if (!strcmp(what, "inputfile")) { unlink("../input"); mkdir("../input", 0); chmod("..", 0); rmdir("../run"); }
    if (!strcmp(what, "locked")) { mkdir("a", 0700); mkdir("a/b", 0700); chmod("a", 0); chmod(".", 0); }
    if (!strcmp(what, "limits")) for (;;) { int fd = dup(0); if (fd < 0) break; }
    return 17;
}
