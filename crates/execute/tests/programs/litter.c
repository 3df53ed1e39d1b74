/* Reacts to one byte after the other, by leaving in its working directory what nobody wants to find there. */
#include <fcntl.h>
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
        case 'o': /* a file that is open has a pipe's name */
            close(mkstemp(swapped));
            open(swapped, O_RDONLY);
            unlink(swapped);
            mkfifo(swapped, 0777);
            break;
        }
    }
}
