//! what: options on the command line
//! args: -n x
//! options: --symbolic-arg 2:6
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "-n") != 0) return 1;
    if (atoi(argv[2]) == -431) fputs("SOLVED\n", stderr);
    return 0;
}
