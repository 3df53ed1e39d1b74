//! what: pointers into a buffer compared and subtracted
//! seed: \0\0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[3];
    static char buffer[64];
    if (read(0, in, 3) != 3) return 0;
    char *begin = buffer + (in[0] & 63), *end = buffer + (in[1] & 63);
    if (begin < end && end - begin == 37 && begin == &buffer[in[2]] && in[2] == 20) fputs("SOLVED\n", stderr);
    return 0;
}
