//! what: thread-local variables hold symbolic data like others
#include <stdio.h>
static _Thread_local int level;
_Thread_local unsigned char buffer[16];
static __attribute__((noinline)) void push(int c) { buffer[level++] = (unsigned char)c; }
int main(void) {
    int c;
    while ((c = getchar()) != EOF && level < 4) push(c + 1);
    if (level == 4 && buffer[0] == 'b' && buffer[1] * buffer[2] == 11021 && buffer[3] == buffer[0] + 5) fputs("SOLVED\n", stderr);
    return 0;
}
