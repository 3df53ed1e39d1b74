//! what: control-flow integrity with link-time optimisation, virtual calls
//! flags: -O1 -flto -fuse-ld=lld -fvisibility=hidden -fsanitize=cfi
#include <cstdio>
struct Shape { virtual int area(int x) const = 0; virtual ~Shape() {} };
struct Square : Shape { int area(int x) const override { return x * x; } };
struct Half : Shape { int area(int x) const override { return x * x / 2; } };
int main() {
    unsigned char b[2];
    if (fread(b, 1, 2, stdin) != 2) return 0;
    Shape *s = b[0] == 'h' ? (Shape *)new Half : (Shape *)new Square;
    if (s->area(b[1]) == 5000 && b[0] == 'h') fputs("SOLVED\n", stderr);
    delete s;
    return 0;
}
