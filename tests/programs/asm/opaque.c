//! what: assembly without a model: its operands are concretised, the loss recorded, and what it gives aimed at by the values it is compared with
#include <stdio.h>
int main(void) {
    unsigned v, r;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    __asm__("movd %1, %%xmm0\n\tpaddd %%xmm0, %%xmm0\n\tmovd %%xmm0, %0" : "=r"(r) : "r"(v) : "xmm0");
    if (r == 0x2468ace0) fputs("SOLVED\n", stderr);
    return 0;
}
