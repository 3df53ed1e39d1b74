/* Replay library: programs that ask for values (spelunk.h, CREST, KLEE, SV-COMP), built plainly, on a saved test.
 *
 * Values come from the file that SPELUNK_REPLAY names. It holds one record per value, in call order: the length as four
 * bytes, little-endian, then as many bytes. A value that is asked for with another length takes the first bytes; missing
 * bytes and values are zero. A length of 2^32 - 1 ends the program with exit code 0 when it gets there. All functions are weak: a program's own definitions win.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define DECLARE(type, name, parameters) WEAK type name parameters; WEAK type name parameters

static FILE *replay_file(void) {
    static FILE *file;
    static int opened;
    if (!opened) {
        const char *name = getenv("SPELUNK_REPLAY");
        opened = 1;
        if (name && !(file = fopen(name, "rb"))) {
            fprintf(stderr, "spelunk replay: cannot open %s, named by SPELUNK_REPLAY\n", name);
            exit(86);
        }
    }
    return file;
}

static void next_value(void *to, size_t length) {
    unsigned char head[4];
    FILE *file = replay_file();
    memset(to, 0, length);
    if (!file || fread(head, 1, 4, file) != 4)
        return;
    static const unsigned char end[4] = {255, 255, 255, 255};
    if (memcmp(head, end, 4) == 0)
        exit(0);
    size_t given = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    size_t taken = given < length ? given : length;
    if (fread(to, 1, taken, file) != taken)
        return;
    for (size_t i = taken; i < given && getc(file) != EOF; i++)
        ;
}

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    abort();
}

/* spelunk.h */
DECLARE(void, spelunk_bytes, (void *to, size_t length, const char *name)) { (void)name; next_value(to, length); }
#define NAMED(function, type) DECLARE(type, function, (const char *name)) { type v; (void)name; next_value(&v, sizeof v); return v; }
NAMED(spelunk_char, signed char)
NAMED(spelunk_uchar, unsigned char)
NAMED(spelunk_short, short)
NAMED(spelunk_ushort, unsigned short)
NAMED(spelunk_int, int)
NAMED(spelunk_uint, unsigned)
NAMED(spelunk_long, long)
NAMED(spelunk_ulong, unsigned long)
NAMED(spelunk_longlong, long long)
NAMED(spelunk_ulonglong, unsigned long long)
NAMED(spelunk_float, float)
NAMED(spelunk_double, double)
NAMED(klee_int, int)
static _Bool next_bool(void) { unsigned char c; next_value(&c, 1); return c & 1; }
DECLARE(_Bool, spelunk_bool, (const char *name)) { (void)name; return next_bool(); }
DECLARE(void, spelunk_assume, (int condition)) { if (!condition) exit(0); }
DECLARE(int, spelunk_range, (int low, int high, const char *name)) {
    int v;
    (void)name;
    next_value(&v, sizeof v);
    if (v < low || v > high) exit(0);
    return v;
}

/* CREST */
#define FILL(function, type) DECLARE(void, function, (type *to)) { next_value(to, sizeof *to); }
FILL(__CrestUChar, unsigned char)
FILL(__CrestUShort, unsigned short)
FILL(__CrestUInt, unsigned)
FILL(__CrestULong, unsigned long)
FILL(__CrestULongLong, unsigned long long)
FILL(__CrestChar, char)
FILL(__CrestShort, short)
FILL(__CrestInt, int)
FILL(__CrestLong, long)
FILL(__CrestLongLong, long long)
FILL(__CrestFloat, float)
FILL(__CrestDouble, double)

/* KLEE */
DECLARE(void, klee_make_symbolic, (void *to, size_t length, const char *name)) { (void)name; next_value(to, length); }
DECLARE(void, klee_assume, (uintptr_t condition)) { if (!condition) exit(0); }
DECLARE(int, klee_range, (int begin, int end, const char *name)) {
    int v;
    (void)name;
    next_value(&v, sizeof v);
    if (v < begin || v >= end) exit(0);
    return v;
}
DECLARE(unsigned, klee_is_symbolic, (uintptr_t value)) { (void)value; return 0; }
DECLARE(unsigned, klee_is_replay, (void)) { return 1; }
DECLARE(void, klee_silent_exit, (int status)) { exit(status); }
DECLARE(void, klee_abort, (void)) { fail("klee_abort reached"); }
DECLARE(void, klee_report_error, (const char *file, int line, const char *message, const char *suffix)) {
    (void)suffix;
    fprintf(stderr, "%s:%d: ", file ? file : "?", line);
    fail(message ? message : "klee_report_error reached");
}
#define SAME(function, type) DECLARE(type, function, (type value)) { return value; }
SAME(klee_get_valuef, float)
SAME(klee_get_valued, double)
SAME(klee_get_valuel, long)
SAME(klee_get_valuell, long long)
SAME(klee_get_value_i32, int32_t)
SAME(klee_get_value_i64, int64_t)
DECLARE(void, klee_warning, (const char *message)) { (void)message; }
DECLARE(void, klee_warning_once, (const char *message)) { (void)message; }
DECLARE(void, klee_prefer_cex, (void *object, uintptr_t condition)) { (void)object; (void)condition; }
DECLARE(void, klee_posix_prefer_cex, (void *object, uintptr_t condition)) { (void)object; (void)condition; }
DECLARE(void, klee_mark_global, (void *object)) { (void)object; }
DECLARE(void, klee_open_merge, (void)) {}
DECLARE(void, klee_close_merge, (void)) {}

/* SV-COMP */
#define NONDET(name, type) DECLARE(type, __VERIFIER_nondet_##name, (void)) { type v; next_value(&v, sizeof v); return v; }
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(u8, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(unsigned_short, unsigned short)
NONDET(u16, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(u32, unsigned)
NONDET(sector_t, unsigned)
NONDET(pthread_t, int)
NONDET(long, long)
NONDET(loff_t, long)
NONDET(ulong, unsigned long)
NONDET(unsigned_long, unsigned long)
NONDET(size_t, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
NONDET(pchar, char *)
#ifdef __SIZEOF_INT128__
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
#endif
DECLARE(_Bool, __VERIFIER_nondet_bool, (void)) { return next_bool(); }
DECLARE(_Bool, __VERIFIER_nondet__Bool, (void)) { return next_bool(); }
DECLARE(void, __VERIFIER_nondet_memory, (void *to, unsigned long length)) { next_value(to, length); }
DECLARE(void, __VERIFIER_assume, (int condition)) { if (!condition) exit(0); }
DECLARE(void, __VERIFIER_assert, (int condition)) { if (!condition) fail("__VERIFIER_assert failed"); }
DECLARE(void, __VERIFIER_error, (void)) { fail("__VERIFIER_error reached"); }
DECLARE(void, reach_error, (void)) { fail("reach_error reached"); }
DECLARE(void, __VERIFIER_atomic_begin, (void)) {}
DECLARE(void, __VERIFIER_atomic_end, (void)) {}
