//! what: flags that are Booleans, or made so by optimisation because they have two values, set in different places
//! runs: 1000
//! finding: abort
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool open_, lit;
static int key;

static void word(const char *text) {
    switch (text[0]) {
    case 'o':
        open_ = text[1] == 'x';
        break;
    case 'l':
        if (text[1] == 'y')
            lit = true;
        break;
    case 'k':
        if (text[1] == 'z')
            key = 7;
        break;
    }
}

int main(void) {
    char text[16];
    int words = 0;
    while (scanf("%15s", text) == 1) {
        words++;
        word(text);
    }
    if (words == 6 && open_ && lit && key == 7)
        abort();
    return 0;
}
