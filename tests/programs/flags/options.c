//! what: three flags set by the bytes of a structure of fixed size
//! runs: 6000
//! finding: abort
#include <stdlib.h>
#include <klee/klee.h>

struct options {
    unsigned char kind[12];
    unsigned char level, mode, port, spare;
};

int main(void) {
    struct options o;
    klee_make_symbolic(&o, sizeof o, "options");
    int t = 0, f = 0, p = 0;
    for (int k = 0; k < 12; k++)
        if (o.kind[k] == 0x5a)
            t++;
    switch (o.mode) {
    case 0x11: f = 1; break;
    case 0x99: f = o.level > 200 ? 3 : 2; break;
    default: break;
    }
    for (int k = 0; k < 4; k++)
        if ((o.port ^ o.spare) == 0xa5 + k)
            p = 4 + k;
    if (t == 5 && f == 3 && p == 7)
        abort();
    return 0;
}
