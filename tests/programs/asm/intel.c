//! what: assembly in Intel syntax
//! flags: -masm=intel
#include <stdio.h>
int main(void) {
    unsigned v, w = 5;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    __asm__("imul %0, %1, 3\n\tlea %0, [%0 + 8]" : "=r"(w) : "r"(v) : "cc");
    if (w == 0x30000005) fputs("SOLVED\n", stderr);
    return 0;
}
