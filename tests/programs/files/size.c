//! what: the size of the input as fstat tells it must change: it is not symbolic, and aimed at by what it is compared with
//! args: @@
//! seed: abc
#include <stdio.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
  struct stat st;
  if (argc > 1 && stat(argv[1], &st) == 0 && st.st_size == 37)
    fputs("SOLVED\n", stderr);
}
