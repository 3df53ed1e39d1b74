//! what: link-time optimisation in the flags of the build
//! flags: -O2 -flto -fuse-ld=lld
#include <stdio.h>
#include <string.h>
static int check(const unsigned char *b) {
    int v = b[0] << 8 | b[1];
    if (v * 3 == 0xabcd * 3 - 300 && b[2] == (v & 0xff)) return 1;
    return 0;
}
int main(void) {
    unsigned char b[4] = {0};
    if (fread(b, 1, 3, stdin) != 3) return 0;
    if (check(b)) fputs("SOLVED\n", stderr);
    return 0;
}
