//! what: an exception that leaves a noexcept function is a finding
//! seed: a
//! finding: uncaught-exception
#include <iostream>
void quiet(int c) noexcept {
  if (c == 'T') throw c;
}
int main() { quiet(std::cin.get()); }
