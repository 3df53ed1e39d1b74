/* Reacts to one byte after the other: letters move a state along, others are orders. Never ends by itself. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned char spelunk_uchar(const char *);
#ifdef PLAIN
static unsigned char sp_coverage[8];
#else
extern unsigned char sp_coverage[];
#endif

static void *idle(void *unused) { pause(); return unused; }

int main(void) {
    int state = 0;
    FILE *log = 0;
    pthread_t thread;
    for (;;) {
        unsigned char c = spelunk_uchar("key");
        if (c == 'a' + state) {
            sp_coverage[state] = 1;
            if (++state == 7) abort();
        }
        switch (c) {
        case '!': return state;
        case '#': for (;;) ;
        case 'L':
            if (!log) log = fopen("log", "w+");
            fputs("line\n", log);
            fflush(log);
            break;
        case 'S': { /* how long the file is by its name, and where it is open */
            FILE *again = fopen("log", "r");
            fseek(again, 0, SEEK_END);
            return (int)(ftell(again) + 100 * (ftell(log) != ftell(again)));
        }
        case 'F':
            if (fork() == 0) { setsid(); for (;;) pause(); }
            break;
        case 'T':
            pthread_create(&thread, 0, idle, 0);
            break;
        }
    }
}
