/* In the place of the shared targets' stdin.h: `main` becomes a function that the harness calls, and "all of standard input"
   the input of that call. */
#ifndef FUZZERS_STDIN_H
#define FUZZERS_STDIN_H
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
int target_main(void);
char *fuzz_input(size_t *length);
#ifdef __cplusplus
}
#endif
#define read_stdin fuzz_input
#define main target_main
#endif
