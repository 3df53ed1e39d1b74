// A wild store ends the run the same way in every flavour.
// stdin: AB
#include <stdio.h>
int main(void) { int c = getchar(), d = getchar(); if (c == 'A' && d == 'B') *(volatile int *)8 = 1; puts("alive"); return 0; }
