//! what: float vectors: lanes added and compared
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef float f4 __attribute__((vector_size(16)));
int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    f4 x;
    memcpy(&x, in, 16);
    f4 y = x * 0.5f + 1.0f;
    if (y[0] == 3.0f && y[1] < -8.0f && y[2] == y[3] && y[3] > 100.0f && y[1] > -9.0f) fputs("SOLVED\n", stderr);
    return 0;
}
