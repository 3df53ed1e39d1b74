//! what: an error where 300 more lines than signs of one kind were read, and no others
//! runs: 4000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int c, lines = 0, signs = 0, others = 0;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            lines++;
        else if (c == '#')
            signs++;
        else if (c != 'k')
            others++;
    }
    if (others == 0 && signs > 4 && lines - signs == 300)
        abort();
    return 0;
}
