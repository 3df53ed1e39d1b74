//! what: std::priority_queue and std::stack over input
//! seed: 12\n
#include <cstdio>
#include <iostream>
#include <queue>
#include <stack>
#include <vector>
int main() {
  std::priority_queue<int> queue;
  std::stack<int> stack;
  for (int k = 0; k < 3; ++k) {
    const int c = std::cin.get();
    queue.push(c);
    stack.push(c);
  }
  const int top = queue.top();
  queue.pop();
  if (top == '9' && queue.top() == '8' && stack.top() == '1') std::fputs("SOLVED\n", stderr);
}
