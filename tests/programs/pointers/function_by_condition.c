//! what: a callback stored in a structure, set where the input says so
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
typedef void (*handler)(int);
static void quiet(int x) { (void)x; }
static void loud(int x) { if (x == 200) fputs("SOLVED\n", stderr); }
struct device { int id; handler on; };
int main(void) {
    unsigned char in[2];
    struct device d[4] = {{1, quiet}, {2, quiet}, {3, quiet}, {4, loud}};
    if (read(0, in, 2) != 2) return 0;
    d[in[0] & 3].on(in[1]);
    return 0;
}
