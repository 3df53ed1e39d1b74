//! what: a call without a prototype (K&R style), and a call through a pointer of another type
//! flags: -std=gnu89 -Wno-everything
#include <stdio.h>
int later();
int main(void) {
    int (*f)() = later;
    unsigned char b[3];
    if (fread(b, 1, 3, stdin) != 3) return 0;
    if (f(b[0], b[1]) + later(b[2], 1) == 20011) fputs("SOLVED\n", stderr);
    return 0;
}
__attribute__((noinline)) int later(a, b) int a, b; { return a * b; }
