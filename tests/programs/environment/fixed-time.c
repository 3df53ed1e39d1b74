//! what: time, pid, random numbers are the same in each run, so that a key made of them can be guessed
//! seed: \0\0\0\0
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  unsigned char key;
  srand((unsigned)time(NULL) ^ (unsigned)getpid());
  unsigned char want = (unsigned char)rand();
  if (fread(&key, 1, 1, stdin) != 1)
    return 0;
  if (key == want)
    fputs("SOLVED\n", stderr);
}
