//! what: integer vectors: lanes multiplied, shuffled and compared
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));
int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    v4 x;
    memcpy(&x, in, 16);
    v4 y = __builtin_shufflevector(x, x * 3, 3, 5, 0, 6);
    if (y[0] == 7 && y[1] == 33 && y[2] == -5 && y[3] == 300) fputs("SOLVED\n", stderr);
    return 0;
}
