// Every instruction of inline assembly that is lifted, with its flags: values and expressions are the processor's.
// stdin: \x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00
// stdin: \xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00
// stdin: \x12\x34\x56\x78\x9a\xbc\xde\xf0\x80\x80\x80\x80\x80\x80\x80\x80
// stdin: \x00\x00\x00\x80\x00\x00\x00\x80\xff\xff\xff\x7f\xff\xff\xff\x7f
// stdin: \x40\x3f\x21\x1f\x07\x00\x00\x00\x40\x3f\x21\x1f\x07\x00\x00\x00
// events: 100
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint64_t seen = 1;
static __attribute__((noinline)) void note(uint64_t v) { seen = (seen ^ v) * 0x100000001b3; if ((v ^ v >> 7) % 5 == 3) seen += 7; }
#define FLAGS "=@ccc"(c), "=@ccz"(z), "=@ccs"(s), "=@cco"(o), "=@ccl"(l), "=@ccle"(le), "=@ccbe"(be)
#define NOTE_FLAGS note((uint64_t)(c | z << 1 | s << 2 | o << 3 | l << 4 | le << 5 | be << 6))
#define TWO(T, text) do { T x = (T)a, y = (T)b; int c, z, s, o, l, le, be; \
    __asm__(text " %[y], %[x]" : [x] "+r"(x), FLAGS : [y] "r"(y)); note((uint64_t)x); NOTE_FLAGS; } while (0)
#define TWO_M(T, text) do { T x = (T)a, y = (T)b; int c, z, s, o, l, le, be; \
    __asm__ volatile(text " %[y], %[x]" : [x] "+m"(x), FLAGS : [y] "r"(y)); note((uint64_t)x); NOTE_FLAGS; } while (0)
#define ALL(text) TWO(uint8_t, text "b"); TWO(uint16_t, text "w"); TWO(uint32_t, text "l"); TWO(uint64_t, text "q"); TWO_M(uint32_t, text "l")
#define ONE(T, text) do { T x = (T)a; int c, z, s, o, l, le, be; \
    __asm__("testb %%al, %%al\n\t" text " %[x]" : [x] "+q"(x), FLAGS : "a"((int)b)); note((uint64_t)x); NOTE_FLAGS; } while (0)
#define ONES(text) ONE(uint8_t, text "b"); ONE(uint16_t, text "w"); ONE(uint32_t, text "l"); ONE(uint64_t, text "q")
#define SHIFT(T, text) do { T x = (T)a; __asm__(text " %%cl, %0" : "+r"(x) : "c"((uint8_t)b) : "cc"); note((uint64_t)x); \
    x = (T)b; __asm__(text " $3, %0" : "+r"(x) : : "cc"); note((uint64_t)x); x = (T)b; __asm__(text " %0" : "+r"(x) : : "cc"); note((uint64_t)x); } while (0)
#define SHIFTS(text) SHIFT(uint8_t, text "b"); SHIFT(uint16_t, text "w"); SHIFT(uint32_t, text "l"); SHIFT(uint64_t, text "q")
#define SCAN(T, text) do { T x = (T)a, r = (T)b; unsigned char z; __asm__(text " %2, %0\n\tsetz %1" : "+r"(r), "=q"(z) : "r"(x) : "cc"); note((uint64_t)r + z); } while (0)
#define WIDE(T, text) do { T lo = (T)a, hi = 0, y = (T)b; unsigned char c; \
    __asm__(text " %3\n\tsetc %2" : "+a"(lo), "+d"(hi), "=q"(c) : "r"(y) : "cc"); note((uint64_t)lo); note((uint64_t)hi); note(c); } while (0)
#define CONDITION(cc) do { uint64_t r = 17; uint32_t q = 18; unsigned char p; \
    __asm__("cmpq %4, %3\n\tset" cc " %0\n\tcmov" cc "q %3, %1\n\tcmov" cc "l %k4, %2" : "=&q"(p), "+&r"(r), "+&r"(q) : "r"(a), "r"(b) : "cc"); note(p + r * 3 + q); } while (0)
int main(void) {
    uint64_t in[2];
    if (fread(in, 8, 2, stdin) != 2) return 1;
    for (int round = 0; round < 2; round++) {
        uint64_t a = in[round], b = in[!round];
        ALL("add"); ALL("sub"); ALL("and"); ALL("or"); ALL("xor"); ALL("cmp"); ALL("test");
        TWO_M(uint32_t, "lock; addl"); TWO_M(uint64_t, "lock subq"); TWO_M(uint16_t, "lock xorw");
        ONES("neg"); ONES("not"); ONES("inc"); ONES("dec");
        SHIFTS("shl"); SHIFTS("sal"); SHIFTS("shr"); SHIFTS("sar"); SHIFTS("rol"); SHIFTS("ror");
        SCAN(uint16_t, "bsfw"); SCAN(uint32_t, "bsfl"); SCAN(uint64_t, "bsfq");
        SCAN(uint16_t, "bsrw"); SCAN(uint32_t, "bsrl"); SCAN(uint64_t, "bsrq"); SCAN(uint64_t, "popcntq"); SCAN(uint32_t, "popcntl");
        WIDE(uint16_t, "mulw"); WIDE(uint32_t, "mull"); WIDE(uint64_t, "mulq"); WIDE(uint16_t, "imulw"); WIDE(uint32_t, "imull"); WIDE(uint64_t, "imulq");
        CONDITION("o"); CONDITION("no"); CONDITION("b"); CONDITION("ae"); CONDITION("e"); CONDITION("ne"); CONDITION("be"); CONDITION("a");
        CONDITION("s"); CONDITION("ns"); CONDITION("l"); CONDITION("ge"); CONDITION("le"); CONDITION("g");
        uint64_t x = a, y = b, w = 5;
        __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq $0, %2" : "+&r"(x), "+&r"(y), "+&r"(w) : "r"(b), "r"(a) : "cc"); note(x); note(y); note(w);
        __asm__("subq %3, %0\n\tsbbq %4, %1\n\tsbbq %2, %2" : "+&r"(x), "+&r"(y), "+&r"(w) : "r"(a), "r"(b) : "cc"); note(x); note(y); note(w);
        __asm__("shldq %%cl, %1, %0" : "+r"(x) : "r"(a), "c"((uint8_t)b) : "cc"); note(x);
        __asm__("shrdl $7, %k1, %k0" : "+r"(x) : "r"(b) : "cc"); note((uint32_t)x);
        __asm__("imulq %1, %0\n\timulq $-9, %0, %0" : "+r"(x) : "r"(b) : "cc"); note(x);
        __asm__("leaq 5(%1,%2,4), %0" : "=r"(x) : "r"(a), "r"(b)); note(x);
        __asm__("leal -5(,%1,8), %k0" : "=r"(x) : "r"(a)); note((uint32_t)x);
        __asm__("movzbl %b1, %k0\n\tmovb %h2, %b0\n\tmovw $0x1234, %w0" : "=&Q"(x) : "Q"(a), "Q"(b)); note((uint32_t)x);
        __asm__("movsbq %b1, %0\n\tmovswl %w1, %k0\n\tmovslq %k1, %0" : "=&r"(x) : "r"(a)); note(x);
        __asm__("bswap %0\n\txchgq %0, %1" : "+r"(x), "+r"(y)); note(x); note(y);
        __asm__("xaddq %0, %1" : "+r"(x), "+r"(y) : : "cc"); note(x); note(y);
        uint32_t m = (uint32_t)a, e = (uint32_t)b; unsigned char done;
        __asm__ volatile("lock; cmpxchgl %3, %1\n\tsetz %2" : "+a"(e), "+m"(m), "=q"(done) : "r"(77) : "cc", "memory"); note(e); note(m); note(done);
        e = m; __asm__ volatile("lock cmpxchgl %3, %1\n\tsete %2" : "+a"(e), "+m"(m), "=q"(done) : "r"((uint32_t)a + 1) : "cc", "memory"); note(e); note(m); note(done);
        __asm__ volatile("lock; xaddl %0, %1" : "+r"(e), "+m"(m) : : "memory"); note(e); note(m);
        __asm__ volatile("xchgl %0, %1" : "+r"(e), "+m"(m)); note(e); note(m);
        __asm__("btq %2, %1\n\tsetc %0" : "=q"(done) : "r"(a), "r"(b) : "cc"); note(done);
        __asm__("btsl %2, %1\n\tadcl $0, %0" : "+r"(e), "+r"(m) : "r"((uint32_t)b) : "cc"); note(e); note(m);
        __asm__("btrl $9, %0\n\tbtcl $31, %0" : "+r"(m) : : "cc"); note(m);
        int32_t lo = (int32_t)a, hi; __asm__("cltd" : "=d"(hi) : "a"(lo)); note((uint64_t)hi);
        int64_t q = (int64_t)b, r; __asm__("cltq\n\tcqto" : "+a"(q), "=d"(r)); note((uint64_t)q); note((uint64_t)r);
        __asm__("nop; pause\n\tmov %1, %0 # a comment" : "=r"(x) : "r"(b)); note(x);
    }
    printf("%llx\n", (unsigned long long)seen);
    return 0;
}
