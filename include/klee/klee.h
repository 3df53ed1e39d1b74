/* klee/klee.h: the input functions of KLEE, for programs written for it.
 *
 * Differences: klee_prefer_cex, the merge functions and klee_mark_global do nothing; klee_get_value_* pin the path to
 * the value at hand.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SPELUNK_KLEE_H
#define SPELUNK_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `length` bytes at `to` an input. */
void klee_make_symbolic(void *to, size_t length, const char *name);
/* An input with begin <= value < end. */
int klee_range(int begin, int end, const char *name);
/* An input of type int. */
int klee_int(const char *name);
/* Runs in which `condition` is 0 end quietly. */
void klee_assume(uintptr_t condition);
/* Whether the value depends on the input in this run. */
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);

__attribute__((noreturn)) void klee_silent_exit(int status);
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);

float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_open_merge(void);
void klee_close_merge(void);

#ifdef __cplusplus
}
#endif

#endif
