//! what: a large structure passed and returned by value
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct record {
    int values[40];
};

__attribute__((noinline)) static struct record changed(struct record r) {
    for (int i = 0; i < 40; i += 5) r.values[i] += i;
    return r;
}

int main(void) {
    unsigned char in[24] = {0};
    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;
    struct record r;
    memset(&r, 0, sizeof r);
    memcpy(r.values + 5, in, 24);
    r = changed(r);
    if (r.values[5] == 1000 && r.values[6] == -1000 && r.values[10] == 12345) fputs("SOLVED\n", stderr);
    return 0;
}
