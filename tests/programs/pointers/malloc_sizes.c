//! what: blocks allocated in an order that the input says; the one chosen is read
//! goals: 2
//! seed: \0\0\0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    unsigned char in[3];
    int *block[4];
    if (read(0, in, 3) != 3) return 0;
    for (int k = 0; k < 4; k++) {
        block[k] = malloc(sizeof(int) * (k + 2));
        if (!block[k]) return 0;
        for (int j = 0; j < k + 2; j++) block[k][j] = 10 * k + j;
    }
    int *p = block[in[0] & 3];
    if (p[1] == 31) fputs("SOLVED 1\n", stderr);
    if ((in[0] & 3) == 2 && in[1] < 4 && p[in[1]] == 23) fputs("SOLVED 2\n", stderr);
    return 0;
}
