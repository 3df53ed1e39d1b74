//! what: assume(): who keeps the zebra (Life International, 17 December 1962)
//! runs: 400
//! options: --until paths
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }

/* Houses 1 to 5, from left to right. */
static int house(void) {
    int h = __VERIFIER_nondet_int();
    assume_abort_if_not(h >= 1 && h <= 5);
    return h;
}

static void different(const int *h) {
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++) assume_abort_if_not(h[i] != h[j]);
}

static void beside(int a, int b) { assume_abort_if_not(a - b == 1 || b - a == 1); }

int main(void) {
    enum { ENGLISH, SPANISH, UKRAINIAN, NORWEGIAN, JAPANESE };
    enum { RED, GREEN, IVORY, YELLOW, BLUE };
    enum { DOG, SNAILS, FOX, HORSE, ZEBRA };
    enum { COFFEE, TEA, MILK, JUICE, WATER };
    enum { OLD_GOLD, KOOLS, CHESTERFIELD, LUCKY, PARLIAMENT };
    int who[5], colour[5], pet[5], drink[5], smoke[5];
    int *all[5] = {who, colour, pet, drink, smoke};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 5; i++) all[k][i] = house();
        different(all[k]);
    }
    assume_abort_if_not(who[ENGLISH] == colour[RED]);
    assume_abort_if_not(who[SPANISH] == pet[DOG]);
    assume_abort_if_not(drink[COFFEE] == colour[GREEN]);
    assume_abort_if_not(who[UKRAINIAN] == drink[TEA]);
    assume_abort_if_not(colour[GREEN] == colour[IVORY] + 1);
    assume_abort_if_not(smoke[OLD_GOLD] == pet[SNAILS]);
    assume_abort_if_not(smoke[KOOLS] == colour[YELLOW]);
    assume_abort_if_not(drink[MILK] == 3);
    assume_abort_if_not(who[NORWEGIAN] == 1);
    beside(smoke[CHESTERFIELD], pet[FOX]);
    beside(smoke[KOOLS], pet[HORSE]);
    assume_abort_if_not(smoke[LUCKY] == drink[JUICE]);
    assume_abort_if_not(who[JAPANESE] == smoke[PARLIAMENT]);
    beside(who[NORWEGIAN], colour[BLUE]);
    __VERIFIER_assert(!(pet[ZEBRA] == who[JAPANESE] && drink[WATER] == who[NORWEGIAN]));
    return 0;
}
