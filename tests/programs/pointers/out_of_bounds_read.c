//! what: an index that can leave its table by far
//! seed: \0\0\0\0
//! finding: bad-access
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
int main(void) {
    int k;
    if (read(0, &k, 4) != 4) return 0;
    if (k > 15) return 0; /* negative ones are forgotten */
    printf("%d\n", table[k]);
    return 0;
}
