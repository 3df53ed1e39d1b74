//! what: an error for a file of exactly 20,011 bytes, read in blocks
//! runs: 3000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char block[64];
    size_t total = 0, n;
    unsigned sum = 0;
    while ((n = fread(block, 1, sizeof block, stdin)) > 0) {
        total += n;
        for (size_t k = 0; k < n; k++)
            sum += (unsigned char)block[k];
    }
    if (total == 20011)
        abort();
    return sum > 100000;
}
