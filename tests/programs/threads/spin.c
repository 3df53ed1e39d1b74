//! what: a thread that waits for another by spinning on an atomic flag
//! flags: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int ready;
static int value;
static void *waiter(void *p) {
    (void)p;
    while (!atomic_load_explicit(&ready, memory_order_acquire));
    return (void *)(long)(value == 0x00abcdef);
}
int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, waiter, 0);
    if (fread(&value, 4, 1, stdin) != 1) value = 0;
    atomic_store_explicit(&ready, 1, memory_order_release);
    pthread_join(t, &r);
    if (r) fputs("SOLVED\n", stderr);
    return 0;
}
