//! what: C11 threads and their mutexes
//! flags: -pthread
#include <stdio.h>
#include <threads.h>
static mtx_t lock;
static int total;
static unsigned char b[3];
static int add(void *p) {
    mtx_lock(&lock);
    total += b[*(int *)p] * 5;
    mtx_unlock(&lock);
    return b[2] + 1;
}
int main(void) {
    thrd_t t[2];
    int k[2] = {0, 1}, r[2];
    if (fread(b, 1, 3, stdin) != 3) return 0;
    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < 2; i++) thrd_create(&t[i], add, &k[i]);
    for (int i = 0; i < 2; i++) thrd_join(t[i], &r[i]);
    if (total == 2005 && r[0] == 'm') fputs("SOLVED\n", stderr);
    return 0;
}
