// Every atomic read-modify-write, on every width, on whole and on partly symbolic memory.
// stdin: \x81bcdefghijklmnopqrstuvwxyz0123456789
// events: 60
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static unsigned long seen;
static void note(unsigned long v) { seen = seen * 1000003 + v; if (seen % 7 == 3) seen++; }
#define ALL(T, at) do { \
    static T m; T x, e; memcpy(&x, b + at, sizeof x); memcpy(&m, b + at + 3, 1); \
    note((unsigned long)__atomic_fetch_add(&m, x, 5)); note((unsigned long)m); \
    note((unsigned long)__atomic_fetch_sub(&m, (T)(x >> 3), 5)); note((unsigned long)__atomic_fetch_and(&m, (T)~x, 0)); \
    note((unsigned long)__atomic_fetch_or(&m, (T)(x * 5), 2)); note((unsigned long)__atomic_fetch_xor(&m, x, 3)); \
    note((unsigned long)__atomic_fetch_nand(&m, (T)(x + 1), 5)); note((unsigned long)m); \
    note((unsigned long)__atomic_fetch_min(&m, x, 5)); note((unsigned long)__atomic_fetch_max(&m, (T)(x ^ 0x70), 5)); \
    note((unsigned long)__atomic_exchange_n(&m, (T)(x + 7), 5)); e = x; \
    note((unsigned long)__atomic_compare_exchange_n(&m, &e, (T)1, 0, 5, 5)); note((unsigned long)e + (unsigned long)m); \
    note((unsigned long)__atomic_compare_exchange_n(&m, &e, (T)(x * 3), 1, 5, 0)); note((unsigned long)e + (unsigned long)m); \
} while (0)
int main(void) {
    unsigned char b[32];
    if (fread(b, 1, 32, stdin) != 32) return 1;
    ALL(unsigned char, 0);
    ALL(short, 1);
    ALL(int, 4);
    ALL(unsigned, 5);
    ALL(long, 8);
    ALL(unsigned long, 16);
    static _Atomic(char *) p;
    static char text[300];
    p = text + b[3];
    note((unsigned long)(atomic_exchange(&p, text + b[4]) - text));
    note((unsigned long)(p - text));
    jmp_buf env;
    volatile int rounds = 0;
    int got = setjmp(env);
    note((unsigned long)got);
    if (rounds++ < 3) longjmp(env, b[5] & 3);
    printf("%lu\n", seen);
    return 0;
}
