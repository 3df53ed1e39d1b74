//! what: ranges of library functions
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\xf0\x3f
//! infeasible: 7
#include <math.h>
#include <stdio.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (sin(x) > 1.0) puts("beyond a sine");
    if (exp(x) < 0.0) puts("a negative power");
    if (x > 10.0 && exp(x) < 1000.0) puts("a power that falls");
    if (x < 5.0 && log(x) > 2.0) puts("a logarithm that falls");
    if (fmod(x, 10.0) >= 10.0) puts("a remainder above its divisor");
    if (tanh(x) * tanh(x) + 1.0 > 2.5) puts("beyond a hyperbolic tangent");
    if (pow(x, 4.0) < 0.0) puts("a negative fourth power");
    return 0;
}
