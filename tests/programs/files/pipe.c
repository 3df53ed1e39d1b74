//! what: bytes through a pipe of the program keep their labels
//! seed: aaaaaaaa
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char in[8], out[8];
  int p[2];
  if (read(0, in, 8) != 8 || pipe(p))
    return 0;
  if (write(p[1], in, 3) != 3 || write(p[1], in + 3, 5) != 5 || read(p[0], out, 8) != 8)
    return 0;
  if (memcmp(out, "PIPELINE", 8) == 0)
    fputs("SOLVED\n", stderr);
}
