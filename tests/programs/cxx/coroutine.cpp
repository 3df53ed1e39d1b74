//! what: a C++20 coroutine yields symbolic values
//! flags: -std=c++20
//! seed: ab
#include <coroutine>
#include <cstdio>
#include <iostream>
struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
};
Generator doubled() {
  for (int c; (c = std::cin.get()) >= 0;) co_yield 2 * c;
}
int main() {
  Generator g = doubled();
  g.handle.resume();
  if (g.handle.done()) return 1;
  const int first = g.handle.promise().value;
  g.handle.resume();
  if (!g.handle.done() && first + g.handle.promise().value == 166 && first > 100) std::fputs("SOLVED\n", stderr);
}
