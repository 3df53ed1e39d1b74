//! what: std::ifstream reads the input file
//! args: @@
//! seed: 777 seven\n
#include <cstdio>
#include <fstream>
#include <string>
int main(int, char **argv) {
  std::ifstream in(argv[1]);
  int n;
  std::string s;
  if (in >> n >> s && n == 512 && s == "bytes") std::fputs("SOLVED\n", stderr);
}
