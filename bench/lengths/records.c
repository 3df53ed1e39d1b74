//! what: an error at the 137th line of the form key=value
//! runs: 3000
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[128];
    int entries = 0, bad = 0;
    while (fgets(line, sizeof line, stdin)) {
        char *equals = strchr(line, '=');
        if (equals && equals != line && equals[1] && equals[1] != '\n')
            entries++;
        else
            bad++;
    }
    if (bad == 0 && entries == 137)
        abort();
    return 0;
}
