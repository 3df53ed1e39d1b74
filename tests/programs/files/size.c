//! what: the size of the input as fstat tells it must change
//! args: @@
//! seed: abc
//! gap: the size of a file is what it is in the run, not symbolic
#include <stdio.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
  struct stat st;
  if (argc > 1 && stat(argv[1], &st) == 0 && st.st_size == 37)
    fputs("SOLVED\n", stderr);
}
