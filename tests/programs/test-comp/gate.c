//! what: a state machine that opens after the right sequence of events
#include <stdio.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    enum { LOCKED, FIRST, SECOND, OPEN } state = LOCKED;
    for (int step = 0; step < 5; step++) {
        unsigned char event = __VERIFIER_nondet_uchar();
        switch (state) {
        case LOCKED: if (event == 17) state = FIRST; break;
        case FIRST: if (event == 42) state = SECOND; else state = LOCKED; break;
        case SECOND: if (event > 200) state = OPEN; else if (event < 5) state = FIRST; break;
        case OPEN: if (event == 0) { fputs("SOLVED\n", stderr); return 0; } break;
        }
    }
    return state;
}
