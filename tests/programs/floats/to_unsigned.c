//! what: conversion to unsigned long beyond the signed range
//! flags: -lm
//! seed: \x00\x00\x00\x00\x00\x00\x00\x00
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    double x;
    if (fread(&x, sizeof x, 1, stdin) != 1) return 0;
    if (!(x >= 0 && x < 18446744073709551616.0)) return 0;
    if ((unsigned long)x == 0x8000000000001000ul) fputs("SOLVED\n", stderr);
    return 0;
}
