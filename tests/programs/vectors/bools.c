//! what: a vector of bits read as an integer
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char c16 __attribute__((ext_vector_type(16)));
typedef _Bool b16 __attribute__((ext_vector_type(16)));
int main(void) {
    unsigned char in[16] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    c16 x;
    memcpy(&x, in, 16);
    b16 above = __builtin_convertvector(x > 100, b16);
    unsigned short mask;
    memcpy(&mask, &above, 2);
    if (mask == 0xbeef) fputs("SOLVED\n", stderr);
    return 0;
}
