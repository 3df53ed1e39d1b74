//! what: a lane chosen by input
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));
int main(void) {
    unsigned char in[20] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    v4 x;
    memcpy(&x, in, 16);
    if (x[in[16] & 3] == 0x51515151 && x[0] == 1 && x[1] == 2) fputs("SOLVED\n", stderr);
    return 0;
}
