//! what: an exception that nobody catches is a finding
//! seed: a
//! finding: uncaught-exception
#include <iostream>
#include <stdexcept>
int main() {
  if (std::cin.get() == '!') throw std::runtime_error("nobody");
}
