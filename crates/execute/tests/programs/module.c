/* What the instrumenter emits, by hand: eight branches (64 for a program that needs them), two functions. */
#include <stdint.h>

struct module {
    uint32_t magic, version, flavour, branches, functions, calls, objects, reserved;
    uint8_t *coverage;
    const void *const *function;
    const void *object;
    const void *main, *fuzz_one, *fuzz_init;
    const void **last_callee;
    uint8_t hash[16];
};
uint8_t sp_coverage[4096] __attribute__((aligned(4096)));
#if defined SP_VARIES
#define BRANCHES 64
#else
#define BRANCHES 8
#endif
#if defined SP_FUZZ || defined SP_MANY || defined SP_VARIES
int LLVMFuzzerTestOneInput(const uint8_t *, __SIZE_TYPE__);
#define MAIN 0
#define FUZZ LLVMFuzzerTestOneInput
#else
int __sp_user_main(int, char **, char **);
#define MAIN __sp_user_main
#define FUZZ 0
#endif
static const void *none[2];
#if defined SP_AGAIN
extern unsigned char sp_globals[64];
static const struct { const void *address; uint64_t size; } objects[] = {{sp_globals, 64}};
#define OBJECTS 1
#else
static const void *const *const objects = 0;
#define OBJECTS 0
#endif
struct module __sp_module = {0x4b4c5053, 1, 2, BRANCHES, 2, 0, OBJECTS, 0, sp_coverage, none, OBJECTS ? objects : 0, MAIN, FUZZ, 0, none, {0}};
