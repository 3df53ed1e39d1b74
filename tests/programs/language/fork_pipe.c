//! what: data goes through a pipe to a child and comes back: what the child computes is concrete
//! goals: 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    unsigned char b[2], back = 0;
    int down[2], up[2];
    if (fread(b, 1, 2, stdin) != 2 || pipe(down) || pipe(up)) return 0;
    pid_t pid = fork();
    if (pid == 0) {
        unsigned char c;
        if (read(down[0], &c, 1) != 1) _exit(1);
        c ^= 0x20;
        if (write(up[1], &c, 1) != 1) _exit(1);
        _exit(0);
    }
    if (write(down[1], b, 1) != 1 || read(up[0], &back, 1) != 1) return 1;
    waitpid(pid, 0, 0);
    if (back == (b[0] ^ 0x20) && b[1] == '!') fputs("SOLVED\n", stderr);
    return 0;
}
