//! what: a local variable that is gone
//! finding: use-after-return
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile kept;

static void keep(int value) {
    int local = value;
    kept = &local;
    printf("%d\n", *kept);
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    keep((int)n);
    if (b[0] == 'k' && b[1] == 'p')
        printf("%d\n", *kept);
    return 0;
}
