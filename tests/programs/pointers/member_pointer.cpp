//! what: a pointer to a member function chosen by the input
//! seed: \0\0\0\0
#include <cstdio>
#include <unistd.h>
struct Machine {
    int x;
    void inc() { x++; }
    void neg() { x = -x; }
    void test() { if (x == -8) fputs("SOLVED\n", stderr); }
};
static void (Machine::*const ops[])() = {&Machine::inc, &Machine::neg, &Machine::test};
int main() {
    unsigned char in[4];
    if (read(0, in, 4) != 4) return 0;
    Machine m{in[0]};
    for (int k = 1; k < 4; k++) if (in[k] < 3) (m.*ops[in[k]])();
    return 0;
}
