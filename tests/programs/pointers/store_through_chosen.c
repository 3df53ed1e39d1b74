//! what: a store through a pointer chosen among variables
//! goals: 2
//! seed: \0\0
#include <stdio.h>
#include <unistd.h>
static int red, green, blue;
int main(void) {
    unsigned char in[2];
    static int *const all[3] = {&red, &green, &blue};
    if (read(0, in, 2) != 2) return 0;
    *all[in[0] % 3] = in[1];
    if (blue == 77) fputs("SOLVED 1\n", stderr);
    if (green == 0x42 && red == 0) fputs("SOLVED 2\n", stderr);
    return 0;
}
