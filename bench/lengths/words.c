//! what: four flags, two counted and two set by words, behind a function of their own
//! runs: 8000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state { int lines, marks, verbose, level; };

static void check(const struct state *s) {
    if (s->verbose != 2)
        return;
    if (s->lines != 6)
        return;
    if (s->level == 9 && s->marks == 11)
        abort();
}

int main(void) {
    struct state s = {0, 0, 0, 0};
    char word[32];
    int n = 0, c;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            s.lines++;
        if (c == '!')
            s.marks++;
        if (c == ' ' || c == '\n') {
            word[n] = 0;
            n = 0;
            if (strcmp(word, "loud") == 0)
                s.verbose = 2;
            else if (strcmp(word, "quiet") == 0)
                s.verbose = 1;
            else if (strcmp(word, "max") == 0)
                s.level = 9;
        } else if (n < 31) {
            word[n++] = (char)c;
        }
    }
    check(&s);
    return 0;
}
