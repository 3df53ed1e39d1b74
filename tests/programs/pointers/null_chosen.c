//! what: a table of pointers with a hole in it
//! seed: \0
//! finding: null-dereference
#include <stdio.h>
#include <unistd.h>
static int a = 1, b = 2, c = 3;
static int *const table[5] = {&a, &b, 0, &c, &a};
int main(void) {
    unsigned char in;
    if (read(0, &in, 1) != 1 || in > 4) return 0;
    printf("%d\n", *table[in]);
    return 0;
}
