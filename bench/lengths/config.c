//! what: four flags of a configuration of exactly 23 lines in sections
//! runs: 12000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lines, colour, depth, user, section;

static void line(char *text) {
    lines++;
    if (text[0] == '[') {
        if (strcmp(text, "[display]") == 0)
            section = 1;
        else if (strcmp(text, "[limits]") == 0)
            section = 2;
        else
            section = 0;
        return;
    }
    char *equals = strchr(text, '=');
    if (!equals)
        return;
    *equals++ = 0;
    if (section == 1 && strcmp(text, "colour") == 0)
        colour = strcmp(equals, "green") == 0 ? 4 : 1;
    else if (section == 2 && strcmp(text, "depth") == 0)
        depth = equals[0] == '-' ? 2 : 1;
    else if (section == 0 && strcmp(text, "user") == 0)
        user++;
}

int main(void) {
    char text[128];
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        line(text);
    }
    if (lines == 23 && user == 2) {
        if (colour == 4 && depth == 2)
            abort();
    }
    return 0;
}
