//! what: the file of @@ read with open, fstat, pread and read
//! args: @@
//! seed: aaaaaaaaaaaaaaaaaaaa
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char head[4], tail[4];
  struct stat st;
  int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat(fd, &st) || st.st_size < 16)
    return 0;
  if (read(fd, head, 4) != 4 || pread(fd, tail, 4, st.st_size - 4) != 4)
    return 0;
  if (memcmp(head, "HEAD", 4) == 0 && memcmp(tail, "TAIL", 4) == 0)
    fputs("SOLVED\n", stderr);
}
