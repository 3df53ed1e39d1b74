//! what: the address one past the end is taken, not read: nothing is found
//! seed: \0
//! options: --find bounds
#include <stdio.h>
#include <unistd.h>
static int table[8];
int main(void) {
    unsigned char n;
    if (read(0, &n, 1) != 1 || n > 8) return 0;
    int *end = &table[n], sum = 0;
    for (int *p = table; p != end; p++) sum += *p + 1;
    if (sum == 8) fputs("SOLVED\n", stderr);
    return 0;
}
