//! what: a password read from standard input, compared with strcmp
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[32];
    if (!fgets(line, sizeof line, stdin)) return 1;
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "open sesame") == 0) fputs("SOLVED\n", stderr);
    return 0;
}
