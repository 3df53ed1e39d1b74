//! what: a program with functions of its own under the names of the C library's, in threads
//! flags: -pthread
#include <pthread.h>
#include <stdio.h>
static volatile int slept;
unsigned sleep(unsigned s) { slept += (int)s; return 0; }
int usleep(unsigned u) { slept += (int)u; return 0; }
int sched_yield(void) { slept++; return 0; }
static void *work(void *p) {
    sleep(1);
    usleep(10);
    return (void *)(long)(*(int *)p * 3);
}
int main(void) {
    int v;
    pthread_t t;
    void *r;
    if (fread(&v, 4, 1, stdin) != 1) return 0;
    pthread_create(&t, 0, work, &v);
    pthread_join(t, &r);
    sched_yield();
    if ((int)(long)r == 0x11223344 && slept == 12) fputs("SOLVED\n", stderr);
    return 0;
}
