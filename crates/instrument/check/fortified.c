/* Part of every executable of flavour `check`: the checked functions of _FORTIFY_SOURCE, as calls of the plain ones, which
 * AddressSanitizer knows and reports with what was overflowed. What only the check sees (an array inside a structure) ends
 * the program as it does without a sanitizer.
 *
 * Compiled without builtins and without _FORTIFY_SOURCE.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noreturn)) void __chk_fail(void);

static void end_unless(int holds) {
    if (!holds)
        __chk_fail();
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) {
    void *result = memcpy(to, from, n);
    end_unless(n <= room);
    return result;
}

void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room) {
    return (char *)__memcpy_chk(to, from, n, room) + n;
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room) {
    void *result = memmove(to, from, n);
    end_unless(n <= room);
    return result;
}

void *__memset_chk(void *to, int value, size_t n, size_t room) {
    void *result = memset(to, value, n);
    end_unless(n <= room);
    return result;
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    char *result = strcpy(to, from);
    end_unless(strlen(from) < room);
    return result;
}

char *__stpcpy_chk(char *to, const char *from, size_t room) {
    return __strcpy_chk(to, from, room) + strlen(from);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room) {
    char *result = strncpy(to, from, n);
    end_unless(n <= room);
    return result;
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    char *result = strcat(to, from);
    end_unless(strlen(to) < room);
    return result;
}

char *__strncat_chk(char *to, const char *from, size_t n, size_t room) {
    char *result = strncat(to, from, n);
    end_unless(strlen(to) < room);
    return result;
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments) {
    (void)flag;
    int n = vsprintf(to, format, arguments);
    end_unless(n < 0 || (size_t)n < room);
    return n;
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = __vsprintf_chk(to, flag, room, format, arguments);
    va_end(arguments);
    return n;
}

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list arguments) {
    (void)flag;
    end_unless(n <= room);
    return vsnprintf(to, n, format, arguments);
}

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = __vsnprintf_chk(to, n, flag, room, format, arguments);
    va_end(arguments);
    return length;
}

char *__fgets_chk(char *to, size_t room, int n, FILE *stream) {
    char *result = fgets(to, n, stream);
    end_unless(n <= 0 || (size_t)n <= room);
    return result;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *stream) {
    size_t done = fread(to, size, n, stream);
    end_unless(size == 0 || n <= room / size);
    return done;
}

ssize_t __read_chk(int descriptor, void *to, size_t n, size_t room) {
    ssize_t done = read(descriptor, to, n);
    end_unless(n <= room);
    return done;
}
