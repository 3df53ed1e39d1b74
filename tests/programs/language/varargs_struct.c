//! what: structures and pointers through ..., small ones in registers and large ones on the stack
//! goals: 2
#include <stdarg.h>
#include <stdio.h>
struct small { int a; short b; };
struct large { char pad[20]; int key; long more; };
static __attribute__((noinline)) void take(const char *what, ...) {
    va_list ap;
    va_start(ap, what);
    for (; *what; what++) {
        if (*what == 's') {
            struct small s = va_arg(ap, struct small);
            if (s.a - s.b == 12345) fputs("SOLVED 1\n", stderr);
        } else if (*what == 'l') {
            struct large l = va_arg(ap, struct large);
            if (l.key == 0x00c0ffee && l.more == 77) fputs("SOLVED 2\n", stderr);
        } else if (*what == 'p') {
            (void)va_arg(ap, void *);
        }
    }
    va_end(ap);
}
int main(void) {
    struct small s;
    struct large l = {{0}, 0, 0};
    unsigned char c;
    if (fread(&s, sizeof s, 1, stdin) != 1 || fread(&l.key, 4, 1, stdin) != 1 || fread(&c, 1, 1, stdin) != 1) return 0;
    l.more = c;
    take("pslps", &s, s, l, &l, s);
    return 0;
}
