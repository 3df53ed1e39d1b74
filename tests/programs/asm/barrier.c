//! what: empty assembly as a barrier passes the value on
#include <stdio.h>
static inline unsigned hide(unsigned x) { __asm__ volatile("" : "+r"(x)); return x; }
int main(void) {
    unsigned v;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    unsigned y = hide(v) * 3;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("" : "+m"(y));
    unsigned z;
    __asm__("" : "=r"(z) : "0"(y));
    __asm__ volatile("" : : "r"(&v), "m"(v) : "memory");
    if (z == 0xbadc0de9) fputs("SOLVED\n", stderr);
    return 0;
}
