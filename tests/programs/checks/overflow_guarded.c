//! what: a sum that is checked before it is made: nothing is found
//! seed: \0\0\0\0\0\0\0\0
//! options: --find overflow
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int v[2];
    if (read(0, v, 8) != 8 || v[0] < 0 || v[1] < 0) return 0;
    if (v[0] > INT_MAX - v[1]) return 0;
    if (v[0] + v[1] == INT_MAX) fputs("SOLVED\n", stderr);
    return 0;
}
