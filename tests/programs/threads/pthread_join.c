//! what: a thread computes on symbolic data given by pointer; its result comes back through memory and pthread_join
//! flags: -pthread
//! goals: 2
#include <pthread.h>
#include <stdio.h>
struct job { unsigned char in[2]; unsigned out; };
static void *work(void *p) {
    struct job *j = p;
    j->out = j->in[0] * 1000u + j->in[1];
    return (void *)(long)(j->out ^ 0xff);
}
int main(void) {
    struct job j;
    pthread_t t;
    void *r;
    if (fread(j.in, 1, 2, stdin) != 2) return 0;
    pthread_create(&t, 0, work, &j);
    pthread_join(t, &r);
    if (j.out == 77042) fputs("SOLVED 1\n", stderr);
    if ((long)r == (200250 ^ 0xff)) fputs("SOLVED 2\n", stderr);
    return 0;
}
