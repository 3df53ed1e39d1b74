//! what: std::shared_ptr and std::weak_ptr hold input
//! seed: ab
#include <cstdio>
#include <iostream>
#include <memory>
struct Node {
  int value;
  std::shared_ptr<Node> next;
  std::weak_ptr<Node> back;
};
int main() {
  auto first = std::make_shared<Node>(Node{std::cin.get(), nullptr, {}});
  first->next = std::make_shared<Node>(Node{std::cin.get(), nullptr, first});
  const auto back = first->next->back.lock();
  if (back && back->value + 2 == first->next->value && back->value == 'm') std::fputs("SOLVED\n", stderr);
}
