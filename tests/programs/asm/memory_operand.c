//! what: assembly that reads and writes memory operands
//! goals: 2
#include <stdio.h>
int main(void) {
    unsigned short v[2];
    unsigned out = 0;
    if (fread(v, 2, 2, stdin) != 2) return 0;
    __asm__("addw %1, %0\n\tincw %0" : "+m"(v[0]) : "r"(v[1]) : "cc");
    if (v[0] == 0x8001 && v[1] == 0x7ff0) fputs("SOLVED 1\n", stderr);
    __asm__("movzwl %1, %0\n\tshll $4, %0\n\tnotl %0" : "=r"(out) : "m"(v[0]) : "cc");
    if (out == ~0x000abcd0u) fputs("SOLVED 2\n", stderr);
    return 0;
}
