//! what: fields of a packed structure
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct packed {
    char first;
    uint64_t wide;
    uint16_t last;
} __attribute__((packed));

int main(void) {
    unsigned char in[11] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    struct packed p;
    memcpy(&p, in, sizeof p);
    p.wide += p.first;
    p.last ^= (uint16_t)p.wide;
    if (p.wide == 0x0102030405060708 && p.last == 0x7777 && p.first == 9) fputs("SOLVED\n", stderr);
    return 0;
}
