//! what: an error after exactly 90 groups with three items each
//! runs: 4000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int c, items = 0, groups = 0, inside = 0;
    while ((c = getchar()) != EOF) {
        if (c == '(') {
            inside = 1;
            items = 0;
        } else if (c == ',' && inside) {
            items++;
        } else if (c == ')' && inside) {
            inside = 0;
            if (items == 3)
                groups++;
        }
    }
    if (groups == 90)
        abort();
    return 0;
}
