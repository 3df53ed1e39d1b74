//! what: bytes moved over themselves
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    memmove(in + 2, in, 6);
    in[3] += in[2];
    if (in[7] == 'f' && in[3] == 200 && in[2] == 77 && in[6] == 'e') fputs("SOLVED\n", stderr);
    return 0;
}
