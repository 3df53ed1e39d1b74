/* Reacts to one byte after the other, by leaving in its working directory what nobody wants to find there. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned char spelunk_uchar(const char *);

/* In a session of its own, and no child of this process. */
static int daemonize(void) {
    int pid = fork();
    if (pid) { waitpid(pid, 0, 0); return 0; }
    setsid();
    if (fork()) _exit(0);
    return 1;
}

static int is(const char *name, int kind) {
    struct stat s;
    return lstat(name, &s) == 0 && (s.st_mode & S_IFMT) == kind;
}

static void *idle(void *unused) { pause(); return unused; }

/* A field of what the engine shares with its programs. */
static volatile unsigned long *at(const char *field) {
    char line[512], mode[8];
    unsigned long from = 0, offset;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:spelunk") && sscanf(line, "%lx-%*x %4s %lx", &from, mode, &offset) == 3 && !offset) break;
    fclose(maps);
    return (volatile unsigned long *)(from + atol(getenv(field)));
}

int main(void) {
    int n = 0;
    char name[16], swapped[] = "/tmp/swapped-XXXXXX";
    for (;; n++) {
        switch (spelunk_uchar("key")) {
        case '!': unlink(swapped); return n;
        case 'l': symlink("/etc", "link"); symlink("/dev/zero", "zero"); symlink("..", "up"); break;
        case 'p': mkfifo("pipe", 0777); break;
        case 'd': /* deep */
            for (int k = 0; k < 300; k++) if (mkdir("d", 0700) || chdir("d")) exit(99);
            break;
        case 'u': close(open("mine", O_CREAT | O_WRONLY, 0)); mkdir("locked", 0); break;
        case 'm': /* many */
            for (int k = 0; k < 5000; k++) { sprintf(name, "%d", k); close(open(name, O_CREAT | O_WRONLY, 0600)); }
            break;
        case 'w': /* somebody else goes on writing */
            if (daemonize()) for (unsigned k = 0;; k++) {
                sprintf(name, "w%u", k % 64);
                if (k & 1) symlink("/dev/zero", name); else mkfifo(name, 0777);
                if (!(k % 3)) unlink(name);
            }
            break;
        case '?': return is("link", S_IFLNK) + 2 * is("zero", S_IFLNK) + 4 * is("pipe", S_IFIFO) + 8 * is("w1", S_IFLNK);
        case 't': pthread_create(&(pthread_t){0}, 0, idle, 0); break;
        case 'e': /* endless */
            for (;;) { spelunk_uchar("more"); usleep(2000); }
        case 'c': /* counts inputs for which it did not ask */
            for (volatile unsigned long *n = at("INPUTS"), *hurries = at("HURRIES");;) { ++*n; *(volatile unsigned *)hurries = 0; }
        case 'o': /* a file that is open has a pipe's name */
            close(mkstemp(swapped));
            open(swapped, O_RDONLY);
            unlink(swapped);
            mkfifo(swapped, 0777);
            break;
        }
    }
}
