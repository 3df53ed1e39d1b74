//! what: addresses computed lane by lane
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned u4 __attribute__((vector_size(16)));
static const int table[64] = {3, 141, 59, 26, 535, 89, 79, 32, 38, 46, 26, 433, 83, 27, 950, 288, 41, 97, 169, 39, 93, 751, 5, 820, 97, 49, 44, 592,
    30, 78, 16, 40, 62, 862, 8, 99, 86, 280, 34, 825, 342, 11, 70, 67, 98, 214, 80, 8, 65, 132, 82, 306, 6, 47, 9, 38, 44, 60, 95, 505, 82, 231, 72, 53};

int main(void) {
    unsigned char in[4] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    u4 index = {in[0], in[1], in[2], in[3]};
    index = (index * 7 + 3) & 63;
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = sum * 31 + table[index[i]];
    if (sum == ((table[9] * 31 + table[40]) * 31 + table[3]) * 31 + table[60]) fputs("SOLVED\n", stderr);
    return 0;
}
