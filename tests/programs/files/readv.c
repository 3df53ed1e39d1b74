//! what: readv scatters the input
//! seed: aaaaaaaaaaaa
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
int main(void) {
  char a[3], b[4];
  struct iovec v[2] = {{a, sizeof a}, {b, sizeof b}};
  if (readv(0, v, 2) == 7 && memcmp(b, "SCAT", 4) == 0 && a[2] == '!')
    fputs("SOLVED\n", stderr);
}
