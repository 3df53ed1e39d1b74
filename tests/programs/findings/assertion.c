//! what: a condition that the program takes for granted
//! finding: assertion-failure
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assert.h>

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    int sum = 0;
    for (size_t i = 0; i < n && i < 4; i++)
        sum += b[i];
    assert(sum != 777 && "no such sum");
    return 0;
}
