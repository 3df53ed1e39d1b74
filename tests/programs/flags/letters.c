//! what: three flags set by command letters and their arguments
//! runs: 6000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int t = 0, f = 0, p = 0, c;
    while ((c = getchar()) != EOF) {
        switch (c) {
        case 'T':
            t++;
            break;
        case 'F':
            c = getchar();
            if (c == '4')
                f = 1;
            else if (c == '7')
                f = 3;
            break;
        case 'P':
            c = getchar();
            if (c == 'x' && getchar() == 'y')
                p = 7;
            break;
        default:
            break;
        }
    }
    if (t == 5 && f == 3 && p == 7)
        abort();
    return 0;
}
