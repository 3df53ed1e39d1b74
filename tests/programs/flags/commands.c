//! what: four flags set by typed commands with arguments, a wrong one of which ends the program
//! runs: 8000
//! finding: abort
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static int opened, written, mode, owner;

int main(void) {
    for (int k = 0; k < 40; k++) {
        int argument;
        switch (__VERIFIER_nondet_int()) {
        case 0:
            k = 40;
            break;
        case 17:
            opened++;
            break;
        case 230:
            argument = __VERIFIER_nondet_int();
            if (argument <= 0) return 1;
            written += argument > 65536 ? 2 : 1;
            break;
        case -4:
            if (__VERIFIER_nondet_uchar() == 'w') mode = 2;
            else mode = 1;
            break;
        case 9999:
            if (__VERIFIER_nondet_int() * 3 == 2997) owner = 8;
            break;
        default:
            return 2;
        }
    }
    if (opened == 4 && written == 9 && mode == 2 && owner == 8)
        abort();
    return 0;
}
