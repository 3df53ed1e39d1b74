//! what: two stores through input-dependent indexes; the second may overwrite the first
//! goals: 2
//! seed: \0\0\0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[4];
    int cell[8] = {0};
    if (read(0, in, 4) != 4) return 0;
    cell[in[0] & 7] = in[1] + 1000;
    cell[in[2] & 7] = in[3] + 2000;
    if (cell[3] == 1007 && cell[5] == 2009) fputs("SOLVED 1\n", stderr);
    if (cell[0] == 0 && cell[3] == 2001 && (in[0] & 7) == 3) fputs("SOLVED 2\n", stderr);
    return 0;
}
