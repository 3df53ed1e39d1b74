//! what: a call through a table of functions with a hole in it
//! seed: \0
//! finding: null-dereference
#include <stdio.h>
#include <unistd.h>
static void f(void) { puts("f"); }
static void g(void) { puts("g"); }
static void (*const table[4])(void) = {f, g, f, 0};
int main(void) {
    unsigned char in;
    if (read(0, &in, 1) != 1 || in > 3) return 0;
    table[in]();
    return 0;
}
