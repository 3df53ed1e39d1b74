//! what: a string function that writes too far
//! finding: heap-buffer-overflow
//! seed: x=abcdefghij\n
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 0;
    char *name = malloc(6);
    if (!name)
        return 1;
    if (strncmp(line, "n=", 2) == 0)
        strcpy(name, line + 2);
    else
        name[0] = 0;
    printf("%s\n", name);
    free(name);
    return 0;
}
