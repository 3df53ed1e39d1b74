//! what: nodes in an array linked by input-dependent indexes; walking them visits a wanted order
//! seed: \0\0\0\0
#include <stdio.h>
#include <unistd.h>
struct node { int value; struct node *next; };
int main(void) {
    unsigned char in[4];
    struct node n[4];
    if (read(0, in, 4) != 4) return 0;
    for (int k = 0; k < 4; k++) {
        n[k].value = 1 << (3 * k);
        n[k].next = &n[in[k] & 3];
    }
    int sum = 0;
    struct node *p = n;
    for (int k = 0; k < 4; k++, p = p->next) sum = sum * 8 + p->value % 511;
    if (n[0].next == &n[2] && n[0].next->next == &n[1] && n[1].next == &n[3]) fputs("SOLVED\n", stderr);
    return sum & 0;
}
