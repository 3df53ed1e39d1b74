//! what: the first call of a program is one of the C library, without a model, that writes to a global
//! seed: aaaa
#include <stdio.h>
#include <sys/utsname.h>
static struct utsname machine;
int main(void) {
  uname(&machine);
  if (getchar() == 'L' && machine.sysname[0])
    fputs("SOLVED\n", stderr);
}
