//! what: a program that forks: the parent is followed, and sees its child's status
//! goals: 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    unsigned char b[3];
    if (fread(b, 1, 3, stdin) != 3) return 0;
    pid_t pid = fork();
    if (pid == 0) _exit(b[0] == 'c' ? 42 : 1);
    int status = 0;
    waitpid(pid, &status, 0);
    if (b[1] == 'p' && b[2] == 'q' && WIFEXITED(status)) fputs("SOLVED\n", stderr);
    return 0;
}
