//! what: complex numbers through calls
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static _Complex double turned(_Complex double z) {
    _Complex double r;
    __real__ r = 2 - __imag__ z;
    __imag__ r = __real__ z + 2;
    return r;
}

int main(void) {
    unsigned char in[4] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    _Complex double z = in[0] + in[1] * 1.0i;
    z = turned(z);
    if (__real__ z == -25.0 && __imag__ z == 37.0 && in[2] == 5) fputs("SOLVED\n", stderr);
    return 0;
}
