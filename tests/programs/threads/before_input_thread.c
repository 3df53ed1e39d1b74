//! what: a thread reads input while a function that reads none waits for it
//! goals: 1
//! flags: -pthread
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static volatile int got;
static sem_t started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    sem_post(&started);
    got = getchar();
    pthread_mutex_unlock(&lock);
    return unused;
}
/* Waits for the thread, which holds the lock and has read nothing yet. */
__attribute__((noinline)) static int look(void) {
    pthread_mutex_lock(&lock);
    int seen = got;
    pthread_mutex_unlock(&lock);
    return seen;
}
int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    pthread_create(&t, 0, reader, 0);
    sem_wait(&started);
    int seen = look();
    pthread_join(t, 0);
    if (seen * seen == '~' * '~') fputs("SOLVED\n", stderr);
    return 0;
}
