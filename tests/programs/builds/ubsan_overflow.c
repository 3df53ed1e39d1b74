//! what: a branch to a sanitizer's handler is a goal: the overflow is reached
//! flags: -O1 -g -fsanitize=signed-integer-overflow -fno-sanitize-recover=all
//! finding: exit
#include <stdio.h>
int main(void) {
    int a;
    if (fread(&a, 4, 1, stdin) != 1) return 0;
    if (a < 1000) return 0;
    volatile int r = a * 5 + 3;
    return r == 7;
}
