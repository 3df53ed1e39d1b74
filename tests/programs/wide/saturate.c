//! what: saturating addition of 16-bit lanes
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef short s4 __attribute__((ext_vector_type(4)));
int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    s4 x, y = {30000, -30000, 5, 1};
    memcpy(&x, in, 8);
    s4 sum = __builtin_elementwise_add_sat(x, y);
    if (sum[0] == 32767 && sum[1] == -32768 && sum[2] == 5 && x[3] == 99 && x[0] == 2768) fputs("SOLVED\n", stderr);
    return 0;
}
