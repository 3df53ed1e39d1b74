//! what: the input file mapped into memory
//! args: @@
//! seed: aaaaaaaaaaaaaaaa
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
  struct stat st;
  int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat(fd, &st) || st.st_size < 12)
    return 0;
  char *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED)
    return 0;
  if (memcmp(p + 8, "MAPS", 4) == 0 && p[0] + p[1] == 'M')
    fputs("SOLVED\n", stderr);
}
