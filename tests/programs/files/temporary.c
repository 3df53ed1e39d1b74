//! what: bytes written to a file and read back keep their labels
//! seed: aaaaaaaa
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char in[8], out[8];
  if (read(0, in, 8) != 8)
    return 0;
  int fd = open("scratch.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, in, 8) != 8 || lseek(fd, 0, SEEK_SET) != 0 || read(fd, out, 8) != 8)
    return 0;
  if (memcmp(out, "ON_DISK!", 8) == 0)
    fputs("SOLVED\n", stderr);
}
