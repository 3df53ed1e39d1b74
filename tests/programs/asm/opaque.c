//! what: assembly without a model: its operands are concretised and the loss recorded
//! gap: sse2 instructions in inline assembly are concretised
#include <stdio.h>
int main(void) {
    unsigned v, r;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    __asm__("movd %1, %%xmm0\n\tpaddd %%xmm0, %%xmm0\n\tmovd %%xmm0, %0" : "=r"(r) : "r"(v) : "xmm0");
    if (r == 0x2468ace0) fputs("SOLVED\n", stderr);
    return 0;
}
