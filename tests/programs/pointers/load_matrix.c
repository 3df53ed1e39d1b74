//! what: a matrix with both indexes from the input
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
static int m[5][7];
int main(void) {
    unsigned char in[2];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++) m[i][j] = i * 100 + j * j;
    if (read(0, in, 2) != 2 || in[0] >= 5 || in[1] >= 7) return 0;
    if (m[in[0]][in[1]] == 325) fputs("SOLVED\n", stderr);
    return 0;
}
