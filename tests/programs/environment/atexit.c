//! what: functions that stand in the static part of the C library alone (atexit, at_quick_exit, pthread_atfork) are called as ever
//! seed: aaaa
//! goals: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int armed;
static void bye(void) {
  if (armed == 1)
    fputs("SOLVED at exit\n", stderr);
}
static void quick(void) {
  if (armed == 2)
    fputs("SOLVED at quick exit\n", stderr);
}
static void nothing(void) {}
int main(void) {
  char in[4];
  if (atexit(bye) || at_quick_exit(quick) || pthread_atfork(nothing, nothing, nothing))
    return 1;
  if (fread(in, 1, 4, stdin) != 4)
    return 0;
  if (in[0] == 'x' && in[1] == 'i' && in[2] == 't')
    armed = 1;
  if (in[0] == 'q' && in[1] == 'u' && in[3] == '!') {
    armed = 2;
    quick_exit(0);
  }
}
