//! what: a division by zero whose result nobody needs: it crashes nothing, and is found
//! seed: \0
//! options: --find div
//! finding: division-by-zero
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char n;
    if (read(0, &n, 1) != 1 || n > 7) return 0;
    unsigned dead = 100u / n;
    (void)dead;
    return 0;
}
