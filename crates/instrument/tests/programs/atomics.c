// Atomics and threads.
// events: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int total; static _Atomic long word; static unsigned char in[16];
static void *work(void *p) { for (int i = 0; i < 8; i++) atomic_fetch_add(&total, ((unsigned char *)p)[i]); return 0; }
int main(void) {
  fread(in, 1, 16, stdin); pthread_t a, b; pthread_create(&a, 0, work, in); pthread_create(&b, 0, work, in + 4); pthread_join(a, 0); pthread_join(b, 0);
  atomic_store(&word, in[0]); long e = in[0]; if (atomic_compare_exchange_strong(&word, &e, 7)) puts("swapped");
  if (atomic_load(&word) == 7) puts("seven"); if (in[1] > 'a') puts("above"); if (in[2] == 'l') puts("l"); printf("%d\n", atomic_load(&total)); return 0;
}
