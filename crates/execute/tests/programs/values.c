/* Asks for values by several conventions. */
void __CrestInt(int *);
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void klee_make_symbolic(void *, unsigned long, const char *);
int spelunk_int(const char *);
int main(void) {
    int a, b; char text[5];
    __CrestInt(&a);
    b = __VERIFIER_nondet_int();
    klee_make_symbolic(text, sizeof text, "text");
    int c = spelunk_int("count");
    int d = __VERIFIER_nondet_uchar() + __VERIFIER_nondet_bool();
    __VERIFIER_assume(a < 1000);
    return (a + b + text[4] + c + d) & 127;
}
