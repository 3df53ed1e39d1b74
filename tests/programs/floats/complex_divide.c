//! what: a quotient of complex numbers
//! gap: the compiler's support function __divdc3 has no model
#include <complex.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    signed char in[4];
    if (fread(in, 1, 4, stdin) != 4) return 1;
    double complex x = in[0] + in[1] * I, y = in[2] + in[3] * I;
    if (y == 0) return 1;
    double complex z = x / y;
    if (creal(z) == 7.0 && cimag(z) == -2.0 && in[3] > 3) fputs("SOLVED\n", stderr);
    return 0;
}
