//! what: a branch to a sanitizer's trap is a goal: the overflow is reached, and is the one finding
//! flags: -O1 -g -fsanitize=signed-integer-overflow -fsanitize-trap=all
//! finding: signed-overflow
#include <stdio.h>
int main(void) {
    int a;
    if (fread(&a, 4, 1, stdin) != 1) return 0;
    if (a < 0x12345678 || a > 0x12345680) return 0;
    volatile int r = a * 8;
    return r == 7;
}
