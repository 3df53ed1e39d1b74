//! what: a state that the program gives up in
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n == 8 && memcmp(b, "give up!", 8) == 0)
        abort();
    return 0;
}
