/* Put in front of every file of a command-line tool: its `main` becomes a function that can be called again and again. Standard
   input is a stream over the input, `exit` ends the call and not the process, signals stay the fuzzer's, and in C what a call
   allocates is freed after it (in C++ unwinding frees it). */
#ifndef FUZZERS_TOOL_H
#define FUZZERS_TOOL_H
#ifdef __cplusplus
#include <csignal>
#include <cstdio>
#include <cstdlib>
extern "C" {
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
extern FILE *fuzz_stdin;
void fuzz_exit(int status) __attribute__((noreturn));
int fuzz_fclose(FILE *stream);
void *fuzz_malloc(size_t size);
void fuzz_free(void *block);
#ifdef __cplusplus
}
namespace std {
using ::fuzz_exit;
using ::fuzz_fclose;
}
#else
#define malloc(size) fuzz_malloc(size)
#define free(block) fuzz_free(block)
#endif
#undef stdin
#define stdin fuzz_stdin
#define main target_main
#define exit fuzz_exit
#define fclose(stream) fuzz_fclose(stream)
#define signal(number, action) ((void)0)
#endif
