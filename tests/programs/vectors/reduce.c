//! what: all lanes combined: sum, maximum, exclusive or
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char v16 __attribute__((ext_vector_type(16)));
int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    v16 x;
    memcpy(&x, in, 16);
    if (__builtin_reduce_max(x) == 77 && __builtin_reduce_xor(x) == 5 && __builtin_reduce_min(x) == 3) fputs("SOLVED\n", stderr);
    return 0;
}
