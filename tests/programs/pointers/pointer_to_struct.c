//! what: a structure chosen among several by a table of pointers; its fields are read
//! goals: 2
//! seed: \0
#include <stdio.h>
#include <unistd.h>
struct shape { int kind, w, h; };
static struct shape small = {1, 2, 3}, wide = {2, 40, 5}, tall = {3, 6, 70};
static struct shape *shapes[3] = {&small, &wide, &tall};
int main(void) {
    unsigned char in;
    if (read(0, &in, 1) != 1) return 0;
    struct shape *s = shapes[in % 3];
    if (s->w * s->h == 420) fputs("SOLVED 1\n", stderr);
    if (s->kind == 2) fputs("SOLVED 2\n", stderr);
    return 0;
}
