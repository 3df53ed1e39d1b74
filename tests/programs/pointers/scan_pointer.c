//! what: a pointer walks over the input; where it stops is compared
//! seed: aaaaaaaa
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char in[9] = {0}, *p = in;
    if (read(0, in, 8) != 8) return 0;
    while (*p >= 'a' && *p <= 'z') p++;
    if (*p == ':' && p - in == 5 && p[1] == '/' && p[2] == '/') fputs("SOLVED\n", stderr);
    return 0;
}
