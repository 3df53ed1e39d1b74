//! what: an index that leaves an array but not the structure around it: no sanitizer of memory sees it
//! seed: \0
//! options: --find bounds
//! finding: out-of-bounds
#include <stdio.h>
#include <unistd.h>
static struct { int table[8]; int rest[64]; } s;
int main(void) {
    unsigned char n;
    if (read(0, &n, 1) != 1 || n > 8) return 0;
    printf("%d\n", s.table[n]);
    return 0;
}
