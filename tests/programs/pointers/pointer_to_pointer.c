//! what: three levels of pointers, each chosen by the input
//! seed: \0\0\0
#include <stdio.h>
#include <unistd.h>
static int v[4] = {3, 1, 4, 15};
static int *p[4] = {&v[2], &v[0], &v[3], &v[1]};
static int **pp[3] = {&p[1], &p[3], &p[2]};
int main(void) {
    unsigned char in[2];
    if (read(0, in, 2) != 2 || in[0] > 2) return 0;
    if (**pp[in[0]] == 15) fputs("SOLVED\n", stderr);
    return 0;
}
