//! what: sorting moves input bytes through memory; the sorted result is compared
//! seed: \0\0\0\0\0
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    unsigned char in[5];
    if (read(0, in, 5) != 5) return 0;
    for (int i = 1; i < 5; i++)
        for (int j = i; j > 0 && in[j - 1] > in[j]; j--) { unsigned char t = in[j]; in[j] = in[j - 1]; in[j - 1] = t; }
    if (!memcmp(in, "AEIOU", 5)) fputs("SOLVED\n", stderr);
    return 0;
}
