// Variable arguments of every class, from registers and from the stack, through lists passed on and copied.
// stdin: abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\n
// events: 43
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct pair { long a, b; };
struct big { char c[40]; };
static unsigned long seen;
static void note(unsigned long v) { seen = seen * 1000003 + v; if (seen % 7 == 3) seen++; }
static __attribute__((noinline)) void list(const char *what, va_list ap) {
    va_list again;
    va_copy(again, ap);
    for (const char *w = what; *w; w++) switch (*w) {
        case 'i': note((unsigned long)va_arg(ap, int)); break;
        case 'l': note((unsigned long)va_arg(ap, long)); break;
        case 'p': { struct pair p = va_arg(ap, struct pair); note((unsigned long)(p.a ^ p.b)); break; }
        case 'b': { struct big b = va_arg(ap, struct big); note((unsigned long)b.c[3] * 256 + (unsigned long)b.c[39]); break; }
        case 'w': { unsigned __int128 x = va_arg(ap, unsigned __int128); note((unsigned long)(x >> 64) + (unsigned long)x); break; }
        case 'd': note((unsigned long)va_arg(ap, double)); break;
        case 'e': note((unsigned long)va_arg(ap, long double)); break;
    }
    if (*what == 'i') note((unsigned long)va_arg(again, int));
    va_end(again);
}
static __attribute__((noinline)) void all(const char *what, ...) {
    va_list ap;
    va_start(ap, what);
    list(what, ap);
    va_end(ap);
}
static __attribute__((noinline)) void many(long a, long b, long c, long d, long e, long f, long g, const char *what, ...) {
    va_list ap;
    va_start(ap, what);
    note((unsigned long)(a + b + c + d + e + f + g));
    list(what, ap);
    va_end(ap);
}
int main(void) {
    unsigned char b[64];
    if (fread(b, 1, 60, stdin) != 60) return 1;
    struct pair p = {b[0] * 3, b[1]};
    struct big g;
    memcpy(g.c, b, sizeof g.c);
    unsigned __int128 w = ((unsigned __int128)b[2] << 70) | b[3];
    all("iiii", b[0], b[1] + 1, b[2], b[3]);
    all("ipilwbi", b[4], p, b[5], (long)b[6] << 20, w, g, b[7]);
    all("diediwl", 1.5, b[8], (long double)3, 2.5, b[9], w, (long)b[10]);
    all("ddddddddddi", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., b[11]);
    many(1, 2, 3, 4, 5, b[12], b[13], "iewli", b[14], (long double)2, w, (long)b[15], b[16]);
    many(1, 2, 3, 4, 5, b[12], b[13], "iwi", b[14], w, b[16]);
    printf("%lu\n", seen);
    return 0;
}
