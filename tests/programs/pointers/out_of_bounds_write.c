//! what: a store through an unchecked index
//! seed: \0\0\0\0\0
//! finding: bad-access
#include <stdio.h>
#include <unistd.h>
static char board[64];
int main(void) {
    unsigned k = 0;
    char in[5];
    if (read(0, in, 5) != 5) return 0;
    __builtin_memcpy(&k, in, 4);
    if (in[4] == 'w') board[k] = 'x';
    printf("%d\n", board[5]);
    return 0;
}
