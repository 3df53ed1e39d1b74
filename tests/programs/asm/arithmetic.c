//! what: wide multiplication, add with carry, flags into registers
//! goals: 3
#include <stdint.h>
#include <stdio.h>
int main(void) {
    uint64_t a, b;
    if (fread(&a, 8, 1, stdin) != 1 || fread(&b, 8, 1, stdin) != 1) return 0;
    uint64_t lo, hi;
    __asm__("mulq %3" : "=a"(lo), "=d"(hi) : "a"(a), "rm"(b) : "cc");
    if (b == 0x123456789 && hi == 0x12 && (lo & 0xff) == 0x34) fputs("SOLVED 1\n", stderr);
    uint64_t s = a, t = 0;
    __asm__("addq %2, %0\n\tadcq $0, %1" : "+r"(s), "+r"(t) : "r"(b) : "cc");
    if (t == 1 && s == 42) fputs("SOLVED 2\n", stderr);
    unsigned char carry;
    __asm__("cmpq %2, %1\n\tsetb %0" : "=q"(carry) : "r"(a), "r"(b) : "cc");
    int below;
    __asm__("subq %2, %1" : "=@ccl"(below), "+r"(a) : "r"(b));
    if (carry && !below && a == 99) fputs("SOLVED 3\n", stderr);
    return 0;
}
