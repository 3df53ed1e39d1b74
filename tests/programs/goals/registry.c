//! what: handlers registered by number in a list, and called by messages in the right order
//! runs: 500
//! options: --until paths
#include <stdio.h>
#include <stdlib.h>
extern unsigned int __VERIFIER_nondet_uint(void);
extern void abort(void);
void reach_error(void) { fputs("SOLVED\n", stderr); abort(); }

typedef void (*Handler)(unsigned);
static struct { unsigned code; Handler handle; } registry[8];
static int n;

static void add(unsigned code, Handler handle) {
    registry[n].code = code;
    registry[n++].handle = handle;
}

static void fire(unsigned value) { if (value > 7) reach_error(); }
static void arm(unsigned value) { if (value % 1000 == 77) add(value ^ 0x5a5a, fire); }
static void open(unsigned value) { add(value + 40001, arm); }
static void ignore(unsigned value) { (void)value; }

int main(void) {
    add(12, ignore);
    add(4242, open);
    for (int k = 0; k < 3; k++) {
        unsigned code = __VERIFIER_nondet_uint(), value = __VERIFIER_nondet_uint();
        Handler found = ignore;
        for (int i = 0; i < n; i++) found = registry[i].code == code ? registry[i].handle : found;
        found(value);
    }
    return 0;
}
