//! what: a local buffer filled by a length out of the input
//! finding: stack-buffer-overflow
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(char *to, int length) {
    for (int i = 0; i < length; i++)
        to[i] = (char)i;
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    char small[12];
    int length = n > 3 && b[0] == 's' && b[1] == 'z' ? (b[2] == 'X' ? 13 : 12) : 3;
    fill(small, length);
    printf("%d\n", small[length / 2]);
    return 0;
}
