//! what: which thread reads which part of the input is decided by the scheduler: replay needs a stable order
//! flags: -pthread
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static unsigned char got[2];
static void *reader(void *p) {
    return (void *)(long)read(0, &got[(long)p], 1);
}
int main(void) {
    pthread_t t[2];
    for (long k = 0; k < 2; k++) pthread_create(&t[k], 0, reader, (void *)k);
    for (int k = 0; k < 2; k++) pthread_join(t[k], 0);
    if (got[0] == 'u' && got[1] == 'v') fputs("SOLVED\n", stderr);
    return 0;
}
