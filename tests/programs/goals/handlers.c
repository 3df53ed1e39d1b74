//! what: a table of handlers that handlers fill at run time (after libFuzzer's CallerCalleeTest)
//! runs: 500
//! seed: abc
//! options: --until paths
#include <stdio.h>
#include <stdlib.h>

static void (*table[26])(void);

static void last(void) { fputs("SOLVED\n", stderr); abort(); }
static void third(void) { table['z' - 'a'] = last; }
static void second(void) { table['k' - 'a'] = third; }
static void first(void) { table['q' - 'a'] = second; }
static void nothing(void) {}

int main(void) {
    char text[8];
    if (!fgets(text, sizeof text, stdin)) return 1;
    for (int i = 0; i < 26; i++) table[i] = nothing;
    table['m' - 'a'] = first;
    for (int i = 0; i < 4; i++) {
        if (text[i] < 'a' || text[i] > 'z') return 2;
        table[text[i] - 'a']();
    }
    return 0;
}
