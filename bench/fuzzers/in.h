/* In the place of the shared targets' in.h: `main` becomes a function that the harness calls. */
#ifndef FUZZERS_IN_H
#define FUZZERS_IN_H
#include <stddef.h>
void in_bytes(void *p, size_t n, const char *name);
#define main target_main
#endif
