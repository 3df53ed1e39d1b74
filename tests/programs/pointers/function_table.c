//! what: a function chosen from a table by the input
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
static int zero(int x) { return x - x; }
static int twice(int x) { return 2 * x; }
static int magic(int x) { if (x == 0x31) fputs("SOLVED\n", stderr); return x; }
static int (*const table[3])(int) = {zero, twice, magic};
int main(void) {
    unsigned char in[2];
    if (read(0, in, 2) != 2 || in[0] > 2) return 0;
    return table[in[0]](in[1]) & 0;
}
