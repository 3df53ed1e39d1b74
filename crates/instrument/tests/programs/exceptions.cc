// C++: exceptions, virtual calls, constructors of globals, strings, containers. (What libstdc++.so does inside a
// string is not followed, so decisions are on a copy in an array.)
// events: 4
#include <cstdio>
#include <string>
#include <vector>
#include <stdexcept>
struct base { virtual ~base() = default; virtual int f(int x) const { return x + 1; } };
struct derived : base { int f(int x) const override { return x * 2; } };
static std::vector<int> made{1, 2, 3};
static int risky(int x) { if (x == 'e') throw std::runtime_error("e"); if (x > 'x') throw x; return x; }
int main() {
  std::string s; int c, total = 0; unsigned char in[64] = {0}; size_t n = 0; while ((c = getchar()) != EOF && n < 63) { in[n++] = (unsigned char)c; s.push_back((char)c); }
  for (unsigned char ch : in) { try { total += risky(ch); } catch (const std::exception &e) { std::puts(e.what()); } catch (int v) { total -= v; } }
  derived d; base b; const base *p = s.size() > 3 && s[1] == 'e' ? &d : &b; total += p->f(s[0]) + made[s[2] % 3];
  if (s.find("123") != std::string::npos) std::puts("found"); std::printf("%d\n", total); return 0;
}
