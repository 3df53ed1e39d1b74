//! what: asm goto
#include <stdio.h>
static int always(int x) {
    __asm__ goto("jmp %l[away]" : : : : away);
    return 0;
away:
    return x + 1;
}
int main(void) {
    int v;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    if (always(v) == 0x31415926) fputs("SOLVED\n", stderr);
    return 0;
}
