//! what: memory that grows without bound
//! finding: memory-exhaustion
//! options: --memory 64
//! runs: 60
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile last;

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[0] != 'm' || b[1] != '*')
        return 0;
    for (;;) {
        char *more = malloc(1 << 20);
        if (!more)
            return 1;
        memset(more, 1, 1 << 20);
        last = more;
    }
}
