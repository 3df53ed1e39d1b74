//! what: an array inside a large structure behind a pointer: only the array is updated
//! seed: \0\0\0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct big { char head[9000]; int map[16]; char tail[9000]; };
__attribute__((noinline)) static void set(struct big *b, unsigned k, int v) { b->map[k & 15] = v; }
__attribute__((noinline)) static int get(struct big *b, unsigned k) { return b->map[k & 15]; }
int main(void) {
    unsigned char in[3];
    struct big *b = calloc(1, sizeof *b);
    if (!b || read(0, in, 3) != 3) return 0;
    set(b, in[0], in[1]);
    if (get(b, in[2]) == 99 && in[2] == 200) fputs("SOLVED\n", stderr);
    free(b);
    return 0;
}
