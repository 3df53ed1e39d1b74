//! what: counting sort: both its loads and stores go through input-dependent indexes
//! seed: \0\0\0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[4], count[9] = {0}, out[4];
    if (read(0, in, 4) != 4) return 0;
    for (int k = 0; k < 4; k++) { if (in[k] > 7) return 0; count[in[k] + 1]++; }
    for (int k = 0; k < 8; k++) count[k + 1] += count[k];
    for (int k = 0; k < 4; k++) out[count[in[k]]++ & 3] = in[k];
    if (out[0] == 1 && out[1] == 3 && out[2] == 3 && out[3] == 6 && in[0] == 6) fputs("SOLVED\n", stderr);
    return 0;
}
