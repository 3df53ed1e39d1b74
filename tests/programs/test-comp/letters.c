//! what: a word of characters taken one by one
#include <stdio.h>
extern char __VERIFIER_nondet_char(void);

int main(void) {
    char word[5] = {0};
    for (int k = 0; k < 4; k++) {
        char c = __VERIFIER_nondet_char();
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (c < 'a' || c > 'z') return 1;
        word[k] = c;
    }
    if (word[0] == word[3] && word[1] == word[2] && word[0] == word[1] + 5) fputs("SOLVED\n", stderr);
    return 0;
}
