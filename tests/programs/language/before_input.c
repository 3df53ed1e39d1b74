//! what: functions used before there is input follow it afterwards: arguments, memory, results, structures by value
//! goals: 3
#include <stdio.h>
#include <string.h>
struct pair { int a, b; char text[40]; };
static int table[64];
__attribute__((noinline)) static int mix(int x, int y) { return (x ^ 21) + 3 * y; }
__attribute__((noinline)) static int sum(struct pair p) { return p.a * 7 + p.b + p.text[3]; }
__attribute__((noinline)) static void fill(int *t, int n, int v) {
    for (int i = 0; i < n; ++i) t[i] = mix(v, i);
}
__attribute__((noinline)) static int find(const int *t, int n, int v) {
    for (int i = 0; i < n; ++i)
        if (t[i] == v) return i;
    return -1;
}
int main(void) {
    struct pair p = {1, 2, "concrete"};
    fill(table, 64, 5);
    int before = find(table, 64, mix(5, 9)) + sum(p);
    int c = getchar(), d = getchar();
    if (c < 0 || d < 0) return 1;
    if (find(table, 64, mix(5, c)) == 33 && before == 9 + 7 + 2 + 'c') fputs("SOLVED searched\n", stderr);
    p.b = d;
    if (sum(p) == 7 + 'c' + 'k') fputs("SOLVED by value\n", stderr);
    fill(table, 4, c);
    if (table[2] == mix('w', 2)) fputs("SOLVED through memory\n", stderr);
    return 0;
}
