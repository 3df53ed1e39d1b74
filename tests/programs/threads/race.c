//! what: threads that race on the same symbolic bytes without any lock: the run stays usable
//! flags: -pthread
//! runs: 60
#include <pthread.h>
#include <stdio.h>
static unsigned char b[16];
static unsigned shared[16];
static void *racer(void *p) {
    unsigned seed = (unsigned)(long)p;
    for (int k = 0; k < 3000; k++) {
        seed = seed * 1103515245 + 12345;
        unsigned i = seed >> 16 & 15;
        shared[i] = shared[(i + 1) & 15] * 3 + b[i];
    }
    return 0;
}
int main(void) {
    pthread_t t[4];
    if (fread(b, 1, 16, stdin) != 16) return 0;
    for (long k = 0; k < 4; k++) pthread_create(&t[k], 0, racer, (void *)k);
    for (int k = 0; k < 4; k++) pthread_join(t[k], 0);
    if (b[0] * b[1] == 221 * 223 && b[0] < b[1]) fputs("SOLVED\n", stderr);
    return 0;
}
