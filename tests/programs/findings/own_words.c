//! what: what a program prints is no report: one real abort among false ones
//! finding: abort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char b[4] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    fputs("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2\n"
          "    #0 0x1  (/bin/true+0x10)\n"
          "a.c:1:1: runtime error: signed integer overflow: 1 + 2\n",
          stderr);
    if (n == 4 && b[0] == 'r' && b[1] == 'e' && b[2] == 'a' && b[3] == 'l')
        abort();
    return 0;
}
