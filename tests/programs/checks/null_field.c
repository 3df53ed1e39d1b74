//! what: a search that finds nothing for one key, and whose result is used unchecked
//! seed: \0
//! options: --find null
//! finding: null-dereference
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
struct pair { int key, value; };
static struct pair all[3] = {{3, 30}, {5, 50}, {7, 70}};
static struct pair *find(int key) {
    for (int k = 0; k < 3; k++)
        if (all[k].key == key) return &all[k];
    return NULL;
}
int main(void) {
    unsigned char n;
    if (read(0, &n, 1) != 1) return 0;
    if (n != 3 && n != 5 && n != 9) return 0;
    return find(n)->value == 1;
}
