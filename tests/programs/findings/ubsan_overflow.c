//! what: signed overflow, in a build with UndefinedBehaviorSanitizer
//! finding: signed-overflow
//! flags: -O1 -g -fsanitize=signed-integer-overflow
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    int value = 0;
    if (n < 4)
        return 0;
    memcpy(&value, b, 4);
    if (value > 2000000000)
        printf("%d\n", value + 147483000);
    return 0;
}
