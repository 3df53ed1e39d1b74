//! what: a virtual call on an object chosen by the input
//! seed: \0\0
#include <cstdio>
#include <unistd.h>
struct Shape { virtual ~Shape() {} virtual int area(int) const = 0; };
struct Dot : Shape { int area(int) const override { return 0; } };
struct Line : Shape { int area(int n) const override { return n; } };
struct Square : Shape { int area(int n) const override { if (n == 23) fputs("SOLVED\n", stderr); return n * n; } };
static Dot dot;
static Line line;
static Square square;
static Shape *const shapes[3] = {&dot, &line, &square};
int main() {
    unsigned char in[2];
    if (read(0, in, 2) != 2) return 0;
    return shapes[in[0] % 3]->area(in[1]) & 0;
}
