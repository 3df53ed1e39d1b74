//! what: a double converted to int that cannot hold it
//! seed: \0\0\0\0\0\0\0\0
//! options: --find cast
//! finding: bad-cast
#include <stdio.h>
#include <unistd.h>
int main(void) {
    double d;
    if (read(0, &d, 8) != 8 || !(d > 5.5)) return 0;
    printf("%d\n", (int)d);
    return 0;
}
