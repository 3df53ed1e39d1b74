/* Part of every executable of flavours `check` and `find`: where the sanitizers report to, their options, and the reports of
 * checks that have no sanitizer.
 *
 * Spelunk opens descriptor CHECK_REPORT (the number stands here when this is compiled) for reports. Run by hand, without
 * it, reports go to standard error as usual. ASAN_OPTIONS and UBSAN_OPTIONS win over what is said here.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Both are missing in flavour `find`. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *descriptor);
__attribute__((weak)) void __sanitizer_print_stack_trace(void);

static int there(void) {
    return fcntl(CHECK_REPORT, F_GETFD) != -1;
}

__attribute__((constructor(101))) static void spelunk_report(void) {
    if (there() && __sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(long)CHECK_REPORT);
}

static void __spelunk_say(const char *text, size_t length) {
    int to = there() ? CHECK_REPORT : 2;
    while (length > 0) {
        ssize_t n = write(to, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

/* The frames of this executable, as a sanitizer prints them. */
static void __spelunk_say_stack(void) {
    extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    void *frames[64];
    char module[1024], line[1200];
    if (__sanitizer_print_stack_trace) {
        __sanitizer_print_stack_trace();
        return;
    }
    ssize_t length = readlink("/proc/self/exe", module, sizeof module - 1);
    module[length > 0 ? length : 0] = 0;
    unsigned long base = (unsigned long)&__ehdr_start;
    int count = backtrace(frames, 64);
    for (int k = 0, shown = 0; k < count; k++) {
        unsigned long at = (unsigned long)frames[k];
        if (at < base || at >= (unsigned long)etext)
            continue;
        unsigned long offset = __ehdr_start.e_type == ET_EXEC ? at : at - base;
        /* Return addresses point behind the call. */
        int n = snprintf(line, sizeof line, "    #%d 0x%lx  (%s+0x%lx)\n", shown++, at, module, offset - 1);
        __spelunk_say(line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
    }
}

/* Writes the report of a check: `text` with values for its directives, then the stack. */
static void __spelunk_tell(const char *text, const long *values) {
    char line[4096];
    size_t length = 0;
    for (; *text && length < sizeof line - 64; text++) {
        char *to = line + length;
        if (*text != '%') {
            line[length++] = *text;
            continue;
        }
        char directive = *++text;
        if (directive == '%') {
            line[length++] = '%';
            continue;
        }
        long value = values[*++text == '1'];
        double number;
        memcpy(&number, &value, sizeof number);
        if (directive == 'f')
            length += (size_t)snprintf(to, 64, "%.17g", number);
        else
            length += (size_t)snprintf(to, 64, directive == 'u' ? "%lu" : "%ld", value);
    }
    __spelunk_say(line, length);
    __spelunk_say_stack();
}

/* A check of --find failed: `site` is a byte that says whether this was reported, then the report's first line. */
void __spelunk_failed(char *site, long a, long b) {
    long values[2] = {a, b};
    if (*site)
        return;
    *site = 1;
    __spelunk_tell(site + 1, values);
}

/* A check of a build with -fsanitize-trap failed: the run ends, as it would with the trap. */
void __spelunk_trapped(char *site, long a, long b) {
    long values[2] = {a, b};
    __spelunk_tell(site + 1, values);
    _exit(99);
}

/* As the plain program where it can be: a failed malloc returns null, one definition rule as the linker sees it. */
const char *__asan_default_options(void) {
    return "handle_abort=1:handle_sigfpe=1:handle_sigill=1:handle_sigtrap=1:handle_segv=1:handle_sigbus=1:"
           "allow_user_segv_handler=1:allocator_may_return_null=1:detect_leaks=1:detect_stack_use_after_return=1:"
           "detect_odr_violation=0:check_initialization_order=0:malloc_context_size=20:max_malloc_fill_size=0:"
           "quarantine_size_mb=32:print_legend=0:print_full_thread_history=0:exitcode=99";
}

const char *__ubsan_default_options(void) {
    return "print_stacktrace=1";
}

const char *__lsan_default_options(void) {
    return "print_suppressions=0";
}
