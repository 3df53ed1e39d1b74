//! what: a variable-length array whose length comes from the input, and its sizeof
//! goals: 2
#include <stdio.h>
#include <string.h>
static __attribute__((noinline)) int fill(int n, int m, const unsigned char *b) {
    int grid[n][m];
    memset(grid, 0, sizeof grid);
    for (int k = 0; k < 4; k++) grid[k % n][k % m] += b[k];
    if (sizeof grid == 6 * 7 * sizeof(int)) fputs("SOLVED 1\n", stderr);
    return grid[n - 1][m - 1];
}
int main(void) {
    unsigned char b[6];
    if (fread(b, 1, 6, stdin) != 6) return 0;
    int n = b[4] % 8 + 1, m = b[5] % 8 + 1;
    if (fill(n, m, b) == 421) fputs("SOLVED 2\n", stderr);
    return 0;
}
