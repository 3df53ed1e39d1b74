//! what: whole-program virtual tables with thin link-time optimisation
//! flags: -O2 -flto=thin -fuse-ld=lld -fvisibility=hidden -fwhole-program-vtables
#include <cstdio>
struct Node { virtual int value(int x) const { return x + 1; } virtual ~Node() {} };
struct Twice final : Node { int value(int x) const override { return 2 * x; } };
static const Node *make(int c) { return c < 100 ? new Node : new Twice; }
int main() {
    int c = getchar(), d = getchar();
    if (c == EOF || d == EOF) return 0;
    const Node *n = make(c);
    if (n->value(d) == 246 && c == 'z') fputs("SOLVED\n", stderr);
    delete n;
    return 0;
}
