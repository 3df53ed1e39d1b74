//! what: clock and random numbers are the same in each run: what they decide does not make flips diverge
//! seed: aaaaaaaa
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  static const char want[] = "STABLEOK";
  char in[8];
  struct timespec now;
  if (fread(in, 1, 8, stdin) != 8)
    return 0;
  clock_gettime(CLOCK_REALTIME, &now);
  srand((unsigned)now.tv_nsec ^ (unsigned)getpid());
  int start = rand() % 8, good = 0;
  for (int k = 0; k < 8; k++) {
    int at = (start + k * 3) % 8;
    if (in[at] != want[at])
      break;
    good++;
  }
  if (good == 8)
    fputs("SOLVED\n", stderr);
}
