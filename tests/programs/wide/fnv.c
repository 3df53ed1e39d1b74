//! what: a 64-bit FNV-1a hash, its low bits
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char in[8] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < 8; i++) h = (h ^ in[i]) * 1099511628211u;
    if ((h & 0xffff) == 0xbeef) fputs("SOLVED\n", stderr);
    return 0;
}
