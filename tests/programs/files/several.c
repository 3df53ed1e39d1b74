//! what: two named files and standard input together
//! options: --file left.bin --file data/right.bin --stdin
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char a[4], b[4], c[4];
  int l = open("left.bin", O_RDONLY), r = open("data/right.bin", O_RDONLY);
  if (l < 0 || r < 0 || read(l, a, 4) != 4 || read(r, b, 4) != 4 || read(0, c, 4) != 4)
    return 0;
  if (memcmp(a, "LEFT", 4) == 0 && memcmp(b, "RGHT", 4) == 0 && memcmp(c, "STDI", 4) == 0)
    fputs("SOLVED\n", stderr);
}
