//! what: std::list and std::deque carry input
//! seed: abcdef
#include <cstdio>
#include <deque>
#include <iostream>
#include <list>
int main() {
  std::list<int> list;
  std::deque<int> deque;
  for (int k = 0; k < 3; ++k) {
    list.push_front(std::cin.get());
    deque.push_back(std::cin.get());
  }
  list.sort();
  list.reverse();
  if (list.front() == 'x' && list.back() == '1' && deque[1] == deque[2] && deque[0] == '=')
    std::fputs("SOLVED\n", stderr);
}
