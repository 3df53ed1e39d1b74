//! what: alloca in a loop: fresh memory each time, labels of earlier contents do not come back
//! goals: 2
#include <alloca.h>
#include <stdio.h>
#include <string.h>
static __attribute__((noinline)) int use(const unsigned char *in, int n) {
    char *p = alloca(n);
    memset(p, 0, n);
    memcpy(p, in, n / 2);
    int s = 0;
    for (int k = 0; k < n; k++) s = s * 5 + p[k];
    return s;
}
int main(void) {
    unsigned char b[8];
    if (fread(b, 1, 8, stdin) != 8) return 0;
    for (int k = 2; k <= 8; k += 2) (void)use(b, k);
    if (use(b, 8) == 1474 * 625) fputs("SOLVED 1\n", stderr);
    if (use(b, 4) == 25 * (b[6] + 100)) fputs("SOLVED 2\n", stderr);
    return 0;
}
