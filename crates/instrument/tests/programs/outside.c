// A read beside the objects that its pointer is chosen among, as programs with an overflow make it: no condition may say that it lies in one.
// stdin: \x00\x64
// stdin: \x01\x68
// stdin: \x01\x03
#include <stdio.h>
static char a[16] = "aaaaaaaaaaaaaaa", b[16] = "bbbbbbbbbbbbbbb";
static char *t[4] = {a, b, a, b};
volatile char around[4096];
int main(void) {
  unsigned char in[2] = {0}; fread(in, 1, 2, stdin);
  char *p = t[in[0] & 3];
  around[in[0] == 9] = p[in[1]] == 'b';
  return 0;
}
