/* One harness for all ten targets and all tools: the target's own `main`, called in process once per input.

   TARGET_DRIVER: `main(void)` reads all of standard input (stdin.h); TARGET_VALUES: `main` asks for bytes (in.h);
   TARGET_TOOL: a command-line tool (tool.h). The arguments of the latter two are in TARGET_ARGUMENTS. Compiled as C++ for tools
   written in C++, where `exit` is an exception, so that destructors run; else it is a jump. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *input;
static size_t length;

#ifdef TARGET_DRIVER
int target_main(void);
static char *copy;

char *fuzz_input(size_t *n) {
    copy = (char *)malloc(length + 1);
    memcpy(copy, input, length);
    copy[length] = 0;
    *n = length;
    return copy;
}

static void call(void) {
    target_main();
    free(copy);
    copy = NULL;
}
#endif

#ifdef TARGET_VALUES
int target_main(int argc, char **argv);

void in_bytes(void *p, size_t n, const char *name) {
    size_t now = n < length ? n : length;
    (void)name;
    memset(p, 0, n);
    memcpy(p, input, now);
    input += now;
    length -= now;
}

static void call(void) {
    static const char *arguments[] = {TARGET_ARGUMENTS, NULL};
    target_main((int)(sizeof arguments / sizeof *arguments) - 1, (char **)arguments);
}
#endif

#ifdef TARGET_TOOL
#ifdef __cplusplus
#define EXPORTED extern "C"
struct Exit {};
int target_main(int argc, const char *const argv[]);
#else
#define EXPORTED
static jmp_buf back;
int target_main(int argc, char **argv);
#endif

struct block {
    struct block *before, *after;
};
static struct block blocks = {&blocks, &blocks};
EXPORTED FILE *fuzz_stdin;
FILE *fuzz_stdin;

EXPORTED void *fuzz_malloc(size_t size) {
    struct block *b = (struct block *)malloc(sizeof *b + size);
    if (!b)
        return NULL;
    b->before = &blocks;
    b->after = blocks.after;
    blocks.after->before = b;
    blocks.after = b;
    return b + 1;
}

EXPORTED void fuzz_free(void *p) {
    struct block *b = (struct block *)p - 1;
    if (!p)
        return;
    b->before->after = b->after;
    b->after->before = b->before;
    free(b);
}

EXPORTED int fuzz_fclose(FILE *stream) {
    if (stream == stdout || stream == stderr)
        return fflush(stream);
    if (stream == fuzz_stdin)
        fuzz_stdin = NULL;
    return fclose(stream);
}

EXPORTED __attribute__((noreturn)) void fuzz_exit(int status) {
    (void)status;
#ifdef __cplusplus
    throw Exit();
#else
    longjmp(back, 1);
#endif
}

static void until_exit(void) {
    static const char *arguments[] = {TARGET_ARGUMENTS, NULL};
    int count = (int)(sizeof arguments / sizeof *arguments) - 1;
#ifdef __cplusplus
    try {
        target_main(count, arguments);
    } catch (const Exit &) {
    }
#else
    if (!setjmp(back))
        target_main(count, (char **)arguments);
#endif
}

static void call(void) {
    fuzz_stdin = fmemopen((void *)input, length, "r");
    if (!fuzz_stdin)
        return;
    until_exit();
    if (fuzz_stdin)
        fclose(fuzz_stdin);
    while (blocks.after != &blocks)
        fuzz_free(blocks.after + 1);
}
#endif

#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data;
    length = size;
    call();
    return 0;
}
