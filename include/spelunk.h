/* spelunk.h: asking for input values from a program under test.
 *
 * Under Spelunk each call below is answered with an input byte sequence that Spelunk chooses; values are numbered in call
 * order. A run may ask for so many (spelunk explore --max-inputs), then it ends quietly: programs may ask in a loop without
 * end. To build such a program plainly and run it on a saved test, link Spelunk's replay library and name the test in
 * SPELUNK_REPLAY; without that variable every value is zero.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SPELUNK_H
#define SPELUNK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define SPELUNK_BOOL bool
#else
#define SPELUNK_BOOL _Bool
#endif

/* Fills `length` bytes at `to`. `name` is for people; it may be null. */
void spelunk_bytes(void *to, size_t length, const char *name);

/* One value of the type that the function's name says. */
SPELUNK_BOOL spelunk_bool(const char *name);
signed char spelunk_char(const char *name);
unsigned char spelunk_uchar(const char *name);
short spelunk_short(const char *name);
unsigned short spelunk_ushort(const char *name);
int spelunk_int(const char *name);
unsigned int spelunk_uint(const char *name);
long spelunk_long(const char *name);
unsigned long spelunk_ulong(const char *name);
long long spelunk_longlong(const char *name);
unsigned long long spelunk_ulonglong(const char *name);
float spelunk_float(const char *name);
double spelunk_double(const char *name);

/* A value with low <= value <= high; runs with another value end quietly. */
int spelunk_range(int low, int high, const char *name);

/* Only runs in which `condition` is not 0 matter: others end quietly with exit code 0. */
void spelunk_assume(int condition);

/* How likely random values of a name are, in Spelunk's strategies random and hybrid: at file scope,
 *
 *     SPELUNK_RANDOM("key", "0..9");
 *     SPELUNK_RANDOM("stdin", "70:'a'..'z' 20:'\\n' 10:*");
 *
 * The name is that of a value as given above, stdin, connection, a file's, or * for all; what a distribution is, is told by
 * `spelunk explore --help` at --random, which comes before what is said here. What is solved is not bound by it. Plainly built, it is
 * a text that nobody reads. */
#if defined(__GNUC__) && defined(__has_attribute)
#if __has_attribute(retain)
#define SPELUNK_RANDOM_KEPT used, retain
#else
#define SPELUNK_RANDOM_KEPT used
#endif
#define SPELUNK_RANDOM(name, distribution) SPELUNK_RANDOM_AT(name, distribution, __COUNTER__)
#define SPELUNK_RANDOM_AT(name, distribution, k) SPELUNK_RANDOM_AS(name, distribution, k)
#define SPELUNK_RANDOM_AS(name, distribution, k)                                                   \
  static const char spelunk_random_##k[] __attribute__((SPELUNK_RANDOM_KEPT, section("spelunk_random"))) = \
      name "=" distribution
#else
#define SPELUNK_RANDOM(name, distribution) struct spelunk_random_is_for_gcc_and_clang
#endif

#ifdef __cplusplus
}
#endif
#undef SPELUNK_BOOL

#endif
