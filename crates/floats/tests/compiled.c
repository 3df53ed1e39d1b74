// Every float operation as compiled C: `compiled NAME` applies one to operand triples of 3 * 16 bytes from standard input and
// writes results of 16 bytes. Names are as in `compiled.rs`.
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef long double f80;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef __int128 i128;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
typedef unsigned __int128 u128;
typedef signed _BitInt(20) i20;
typedef unsigned _BitInt(20) u20;
typedef signed _BitInt(40) i40;
typedef unsigned _BitInt(40) u40;

struct operation { const char *name; void (*apply)(const unsigned char *, unsigned char *); };

#define DEFINE(NAME, FROM, TO, SIZE, EXPRESSION)                                                                       \
    static void NAME(const unsigned char *in, unsigned char *out) {                                                   \
        FROM a, b, c;                                                                                                 \
        memcpy(&a, in, sizeof a > 16 ? 16 : sizeof a);                                                                 \
        memcpy(&b, in + 16, sizeof b);                                                                                 \
        memcpy(&c, in + 32, sizeof c);                                                                                 \
        TO r = (EXPRESSION);                                                                                          \
        memcpy(out, &r, SIZE);                                                                                        \
        (void)b;                                                                                                      \
        (void)c;                                                                                                      \
    }

#define S_f16 2
#define S_f32 4
#define S_f64 8
#define S_f80 10

#define ARITHMETIC(F, RINT, TRUNC, CEIL, FLOOR, ROUND, SQRT, FMOD, FMA)                                                \
    DEFINE(add_##F, F, F, S_##F, a + b) DEFINE(sub_##F, F, F, S_##F, a - b) DEFINE(mul_##F, F, F, S_##F, a *b)          \
    DEFINE(div_##F, F, F, S_##F, a / b) DEFINE(rem_##F, F, F, S_##F, (F)FMOD(a, b))                                    \
    DEFINE(eq_##F, F, int, 1, a == b) DEFINE(lt_##F, F, int, 1, a < b) DEFINE(le_##F, F, int, 1, a <= b)                \
    DEFINE(uno_##F, F, int, 1, __builtin_isunordered(a, b))                                                           \
    DEFINE(sqrt_##F, F, F, S_##F, (F)SQRT(a)) DEFINE(fma_##F, F, F, S_##F, (F)FMA(a, b, c))                             \
    DEFINE(round0_##F, F, F, S_##F, (F)RINT(a)) DEFINE(round1_##F, F, F, S_##F, (F)TRUNC(a))                           \
    DEFINE(round2_##F, F, F, S_##F, (F)CEIL(a)) DEFINE(round3_##F, F, F, S_##F, (F)FLOOR(a))                           \
    DEFINE(round4_##F, F, F, S_##F, (F)ROUND(a))

ARITHMETIC(f16, rintf, truncf, ceilf, floorf, roundf, sqrtf, fmodf, fmaf)
ARITHMETIC(f32, rintf, truncf, ceilf, floorf, roundf, sqrtf, fmodf, fmaf)
ARITHMETIC(f64, rint, trunc, ceil, floor, round, sqrt, fmod, fma)
ARITHMETIC(f80, rintl, truncl, ceill, floorl, roundl, sqrtl, fmodl, fmal)

#define CONVERSION(X, Y) DEFINE(cvt_##X##_##Y, X, Y, S_##Y, (Y)a)
#define CONVERSIONS(X) CONVERSION(X, f16) CONVERSION(X, f32) CONVERSION(X, f64) CONVERSION(X, f80)
CONVERSIONS(f16) CONVERSIONS(f32) CONVERSIONS(f64) CONVERSIONS(f80)

#define INTEGER(F, I) DEFINE(F##_##I, F, I, sizeof r, (I)a) DEFINE(I##_##F, I, F, S_##F, (F)a)
#define INTEGERS(F)                                                                                                   \
    INTEGER(F, i8) INTEGER(F, i16) INTEGER(F, i32) INTEGER(F, i64) INTEGER(F, i128) INTEGER(F, i20) INTEGER(F, i40)       \
    INTEGER(F, u8) INTEGER(F, u16) INTEGER(F, u32) INTEGER(F, u64) INTEGER(F, u128) INTEGER(F, u20) INTEGER(F, u40)
INTEGERS(f16) INTEGERS(f32) INTEGERS(f64) INTEGERS(f80)

#define ENTRY(NAME) {#NAME, NAME},
#define ARITHMETIC_ENTRIES(F)                                                                                          \
    ENTRY(add_##F) ENTRY(sub_##F) ENTRY(mul_##F) ENTRY(div_##F) ENTRY(rem_##F) ENTRY(eq_##F) ENTRY(lt_##F)               \
    ENTRY(le_##F) ENTRY(uno_##F) ENTRY(sqrt_##F) ENTRY(fma_##F) ENTRY(round0_##F) ENTRY(round1_##F) ENTRY(round2_##F)     \
    ENTRY(round3_##F) ENTRY(round4_##F) ENTRY(cvt_##F##_f16) ENTRY(cvt_##F##_f32) ENTRY(cvt_##F##_f64)                   \
    ENTRY(cvt_##F##_f80)
#define INTEGER_ENTRIES(F, I) ENTRY(F##_##I) ENTRY(I##_##F)
#define ENTRIES(F)                                                                                                     \
    ARITHMETIC_ENTRIES(F) INTEGER_ENTRIES(F, i8) INTEGER_ENTRIES(F, i16) INTEGER_ENTRIES(F, i32)                        \
    INTEGER_ENTRIES(F, i64) INTEGER_ENTRIES(F, i128) INTEGER_ENTRIES(F, i20) INTEGER_ENTRIES(F, i40)                    \
    INTEGER_ENTRIES(F, u8) INTEGER_ENTRIES(F, u16) INTEGER_ENTRIES(F, u32) INTEGER_ENTRIES(F, u64)                      \
    INTEGER_ENTRIES(F, u128) INTEGER_ENTRIES(F, u20) INTEGER_ENTRIES(F, u40)

static const struct operation operations[] = {ENTRIES(f16) ENTRIES(f32) ENTRIES(f64) ENTRIES(f80)};

int main(int argc, char **argv) {
    unsigned char in[48], out[16];
    for (size_t k = 0; argc == 2 && k < sizeof operations / sizeof *operations; k++) {
        if (strcmp(argv[1], operations[k].name)) continue;
        while (fread(in, sizeof in, 1, stdin) == 1) {
            memset(out, 0, sizeof out);
            operations[k].apply(in, out);
            fwrite(out, sizeof out, 1, stdout);
        }
        return 0;
    }
    return 1;
}
