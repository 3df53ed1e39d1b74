//! what: a checked function of the C library ends the program: the finding is where it was called
//! finding: stack-buffer-overflow
//! flags: -O2 -g -D_FORTIFY_SOURCE=2
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char b[16] = {0};
    char small[8];
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[0] != 'F')
        return 0;
    memcpy(small, b, b[1] == 0x58 ? 12 : 4);
    printf("%d\n", small[0]);
    return 0;
}
