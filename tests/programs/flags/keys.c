//! what: three flags set by lines of the form key=value, one of them by their number
//! runs: 1000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int t, f, p;

static void option(const char *key, const char *value) {
    if (strcmp(key, "mode") == 0) {
        if (strcmp(value, "fast") == 0)
            f = 3;
        else
            f = 1;
    } else if (strcmp(key, "port") == 0) {
        if (strcmp(value, "high") == 0)
            p = 7;
    }
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        t++;
        line[strcspn(line, "\n")] = 0;
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = 0;
        option(line, equals + 1);
    }
    if (t == 5 && f == 3 && p == 7)
        abort();
    return 0;
}
