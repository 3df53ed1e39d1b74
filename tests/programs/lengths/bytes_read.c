//! what: an error after exactly 1,000 bytes, counted one by one
//! runs: 3000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 0;
    while (getchar() != EOF)
        n++;
    if (n == 1000)
        abort();
    return 0;
}
