//! what: a field of an element of an array of structures, element chosen by input
//! seed: \0\0\0
#include <stdio.h>
#include <unistd.h>
struct item { int id; short count; char tag[3]; };
int main(void) {
    unsigned char in[3];
    struct item all[6] = {{0}};
    if (read(0, in, 3) != 3) return 0;
    all[in[0] % 6].count = (short)(in[1] * 3);
    all[in[0] % 6].tag[in[2] % 3] = 'x';
    if (all[4].count == 333 && all[4].tag[2] == 'x') fputs("SOLVED\n", stderr);
    return 0;
}
