//! what: std::wstring made from input
//! seed: abcd
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::wstring w;
  for (int k = 0; k < 4; ++k) w.push_back(static_cast<wchar_t>(std::cin.get()));
  if (w == L"wide") std::fputs("SOLVED\n", stderr);
}
