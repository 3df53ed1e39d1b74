//! what: xchg, lock xadd, lock cmpxchg in inline assembly
//! goals: 3
#include <stdio.h>
static int cell;
static inline int xadd(int *p, int v) { __asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory"); return v; }
static inline int xchg(int *p, int v) { __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory"); return v; }
static inline int cas(int *p, int old, int fresh) {
    int prev;
    __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(prev), "+m"(*p) : "r"(fresh), "0"(old) : "memory");
    return prev;
}
int main(void) {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    xadd(&cell, b[0] * 7);
    if (xadd(&cell, b[1]) == 1337 && cell == 1400) fputs("SOLVED 1\n", stderr);
    int was = xchg(&cell, b[2]);
    if (was + cell == 1999) fputs("SOLVED 2\n", stderr);
    if (cas(&cell, 0x41, b[3]) == 0x41 && cell == 0x99) fputs("SOLVED 3\n", stderr);
    return 0;
}
