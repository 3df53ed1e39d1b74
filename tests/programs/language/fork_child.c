//! what: a condition that only the child of a fork tests: it is not followed, and aimed at by the value that it compares
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int v;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    if (fork() == 0) {
        if (v == 0x5eed5eed) fputs("SOLVED\n", stderr);
        _exit(0);
    }
    wait(0);
    return 0;
}
