//! what: a table of pointers to tables, both indexes from the input
//! goals: 2
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
static const short a[4] = {1, 2, 3, 4}, b[4] = {50, 60, 70, 80}, c[4] = {500, 600, 700, 800};
static const short *const rows[3] = {a, b, c};
int main(void) {
    unsigned char in[2];
    if (read(0, in, 2) != 2) return 0;
    if (in[0] > 2 || in[1] > 3) return 0;
    if (rows[in[0]][in[1]] == 70) fputs("SOLVED 1\n", stderr);
    if (rows[in[0]][in[1]] == 800) fputs("SOLVED 2\n", stderr);
    return 0;
}
