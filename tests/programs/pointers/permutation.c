//! what: a permutation checked by marking what was seen
//! seed: \0\0\0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[4], seen[4] = {0};
    if (read(0, in, 4) != 4) return 0;
    for (int k = 0; k < 4; k++) {
        if (in[k] > 3 || seen[in[k]]) return 0;
        seen[in[k]] = 1;
    }
    fputs("SOLVED\n", stderr);
    return 0;
}
