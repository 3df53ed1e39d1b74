//! what: input bytes handed from one thread to another through a queue with mutex and condition variable
//! flags: -pthread
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int queue[2], n, done;
static unsigned hash = 7;
static void put(int c) {
    pthread_mutex_lock(&m);
    while (n == 2) pthread_cond_wait(&room, &m);
    queue[n++] = c;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}
static void *consumer(void *p) {
    (void)p;
    for (;;) {
        pthread_mutex_lock(&m);
        while (n == 0 && !done) pthread_cond_wait(&more, &m);
        if (n == 0) { pthread_mutex_unlock(&m); return 0; }
        int c = queue[0];
        queue[0] = queue[1];
        n--;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&m);
        hash = hash * 33 + (unsigned)c;
    }
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    for (int c, k = 0; k < 4 && (c = getchar()) != EOF; k++) put(c);
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    if (hash == 8301447 + 33 * 256) fputs("SOLVED\n", stderr);
    return 0;
}
