/* Part of every executable of flavour `check`: where the sanitizers report to, and their options.
 *
 * Spelunk opens descriptor CHECK_REPORT (the number stands here when this is compiled) for reports. Run by hand, without
 * it, reports go to standard error as usual. ASAN_OPTIONS and UBSAN_OPTIONS win over what is said here.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void __sanitizer_set_report_fd(void *descriptor);

__attribute__((constructor(101))) static void spelunk_report(void) {
    if (fcntl(CHECK_REPORT, F_GETFD) != -1)
        __sanitizer_set_report_fd((void *)(long)CHECK_REPORT);
}

void __sanitizer_print_stack_trace(void);

/* A check of --find failed: `site` is a byte that says whether this was reported, then the report's first line. */
void __spelunk_failed(char *site) {
    int to = fcntl(CHECK_REPORT, F_GETFD) != -1 ? CHECK_REPORT : 2;
    if (*site)
        return;
    *site = 1;
    if (write(to, site + 1, strlen(site + 1)) < 0)
        return;
    __sanitizer_print_stack_trace();
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
