//! what: counting through input-dependent indexes: read, add, write back
//! seed: abcabcab
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned char in[8], n[26] = {0};
    if (read(0, in, 8) != 8) return 0;
    for (int k = 0; k < 8; k++)
        if (in[k] >= 'a' && in[k] <= 'z') n[in[k] - 'a']++;
    if (n['z' - 'a'] == 3 && n['q' - 'a'] == 2) fputs("SOLVED\n", stderr);
    return 0;
}
