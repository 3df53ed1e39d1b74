//! what: without --find undefined operations are not looked for
//! seed: \0\0\0\0
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int v;
    if (read(0, &v, 4) != 4) return 0;
    if (v + 1 == 77) fputs("SOLVED\n", stderr);
    return 0;
}
