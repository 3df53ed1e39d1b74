#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64; typedef unsigned __int128 u128;
typedef int8_t i8; typedef int16_t i16; typedef int32_t i32; typedef int64_t i64; typedef __int128 i128;
typedef _Float16 f16; typedef float f32; typedef double f64; typedef long double f80;
typedef u8 v16u8 __attribute__((vector_size(16))); typedef i8 v16i8 __attribute__((vector_size(16)));
typedef u16 v8u16 __attribute__((vector_size(16))); typedef i16 v8i16 __attribute__((vector_size(16)));
typedef u32 v4u32 __attribute__((vector_size(16))); typedef i32 v4i32 __attribute__((vector_size(16)));
typedef u64 v2u64 __attribute__((vector_size(16))); typedef i64 v2i64 __attribute__((vector_size(16)));
typedef u32 v8u32 __attribute__((vector_size(32))); typedef i32 v8i32 __attribute__((vector_size(32)));
typedef f32 v4f32 __attribute__((vector_size(16))); typedef f64 v2f64 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

/* Results, written out at the end, and the switch by which each becomes an event with its whole value. */
static u64 out[512];
static volatile int hit;
#define OBS(k, v) do { u64 o_ = (v); out[k] = o_; \
  switch (o_) { case 0x9e3779b97f4a0000u + k: hit = 1; break; default: break; } } while (0)

/* The bits of a NaN are not the same at every optimisation level: where bits are looked at there is one NaN. */
INLINE f16 canon_f16(f16 x) { return x != x ? (f16)__builtin_nanf("") : x; }
INLINE f32 canon_f32(f32 x) { return x != x ? __builtin_nanf("") : x; }
INLINE f64 canon_f64(f64 x) { return x != x ? __builtin_nan("") : x; }
INLINE f80 canon_f80(f80 x) { return x != x ? __builtin_nanl("") : x; }
INLINE u16 bits_f16(f16 x) { u16 b; x = canon_f16(x); memcpy(&b, &x, 2); return b; }
INLINE u32 bits_f32(f32 x) { u32 b; x = canon_f32(x); memcpy(&b, &x, 4); return b; }
INLINE u64 bits_f64(f64 x) { u64 b; x = canon_f64(x); memcpy(&b, &x, 8); return b; }
INLINE u128 bits_f80(f80 x) { u128 b = 0; x = canon_f80(x); memcpy(&b, &x, 10); return b; }
INLINE f16 from_f16(u16 b) { f16 x; memcpy(&x, &b, 2); return canon_f16(x); }
INLINE f32 from_f32(u32 b) { f32 x; memcpy(&x, &b, 4); return canon_f32(x); }
INLINE f64 from_f64(u64 b) { f64 x; memcpy(&x, &b, 8); return canon_f64(x); }

/* Conversions of floats to integers, without a branch, of what is in range. */
#define CVT(F, T, lo, hi, least, most) INLINE T cvt_##F##_##T(F x) { return (T)(F)least(most(x, lo), hi); }
#define CVTS(F, least, most, s, i31, i32_, i63, i64_, i127, i128_) \
  CVT(F, i8, -128, 127, least, most) CVT(F, u8, -0.75##s, 255, least, most) \
  CVT(F, i16, -32768, 32767, least, most) CVT(F, u16, -0.75##s, 65535, least, most) \
  CVT(F, i32, -0x1p31##s, i31, least, most) CVT(F, u32, -0.75##s, i32_, least, most) \
  CVT(F, i64, -0x1p63##s, i63, least, most) CVT(F, u64, -0.75##s, i64_, least, most) \
  CVT(F, i128, -0x1p127##s, i127, least, most) CVT(F, u128, -0.75##s, i128_, least, most)
CVTS(f32, __builtin_fminf, __builtin_fmaxf, f, 0x1.fffffep30f, 0x1.fffffep31f, 0x1.fffffep62f, 0x1.fffffep63f, 0x1.fffffep126f, 0x1.fffffep127f)
CVTS(f64, __builtin_fmin, __builtin_fmax, , 0x1.fffffffcp30, 0x1.fffffffep31, 0x1.fffffffffffffp62, 0x1.fffffffffffffp63, 0x1.fffffffffffffp126, 0x1.fffffffffffffp127)
CVTS(f80, __builtin_fminl, __builtin_fmaxl, l, 0x1.fffffffcp30l, 0x1.fffffffep31l, 0x1.fffffffffffffffcp62l, 0x1.fffffffffffffffep63l, 0x1.fffffffffffffffcp126l, 0x1.fffffffffffffffep127l)
#define CVT16(T, lo, hi) INLINE T cvt_f16_##T(f16 x) { return (T)(f16)__builtin_fminf(__builtin_fmaxf(x, lo), hi); }
CVT16(i8, -128, 127) CVT16(u8, -0.75f, 255) CVT16(i16, -32768, 32752) CVT16(u16, -0.75f, 65504) CVT16(i32, -65504, 65504) CVT16(u32, -0.75f, 65504)
CVT16(i64, -65504, 65504) CVT16(u64, -0.75f, 65504) CVT16(i128, -65504, 65504) CVT16(u128, -0.75f, 65504)

INLINE i32 sign(i32 x) { return (x > 0) - (x < 0); }
INLINE u16 ld16(const void *p) { u16 x; memcpy(&x, p, 2); return x; }
INLINE u32 ld32(const void *p) { u32 x; memcpy(&x, p, 4); return x; }
INLINE u64 ld64(const void *p) { u64 x; memcpy(&x, p, 8); return x; }
INLINE u128 ld128(const void *p) { u128 x; memcpy(&x, p, 16); return x; }
