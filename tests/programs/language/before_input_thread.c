//! what: a thread reads input while the function that started it, and one that it calls, run on
//! goals: 1
//! flags: -pthread
#include <pthread.h>
#include <stdio.h>
static volatile int got;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    got = getchar();
    pthread_mutex_unlock(&lock);
    return unused;
}
__attribute__((noinline)) static int look(void) {
    int seen = 0;
    for (int i = 0; i < 100000 && !seen; ++i) {
        pthread_mutex_lock(&lock);
        seen = got;
        pthread_mutex_unlock(&lock);
    }
    return seen;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    int seen = look();
    pthread_join(t, 0);
    if (!seen) seen = got;
    if (seen == '~') fputs("SOLVED\n", stderr);
    return 0;
}
