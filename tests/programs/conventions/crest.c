//! what: a CREST program, as it is
#include <crest.h>
#include <stdio.h>

int main(void) {
    int a, b;
    unsigned char c;
    CREST_int(a);
    CREST_int(b);
    CREST_unsigned_char(c);
    if (3 * a + 3 * b == 303 && a > b)
        if (a - b == c && c == 7) fputs("SOLVED\n", stderr);
    return 0;
}
