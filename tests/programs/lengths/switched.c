//! what: three lengths of a word that a switch tells apart, and one of the whole text
//! runs: 4000
//! goals: 4
#include <stdio.h>

int main(void) {
    int c, letters = 0, longest = 0, all = 0;
    while ((c = getchar()) != EOF) {
        all++;
        if (c >= 'a' && c <= 'z')
            letters++;
        else
            letters = 0;
        if (letters > longest)
            longest = letters;
    }
    switch (longest) {
    case 31: fputs("SOLVED 31\n", stderr); break;
    case 64: fputs("SOLVED 64\n", stderr); break;
    case 200: fputs("SOLVED 200\n", stderr); break;
    default: break;
    }
    if (all > 2500) fputs("SOLVED much\n", stderr);
    return 0;
}
