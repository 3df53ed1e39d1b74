/* A server that hears one byte after the other, of one client after the other (`poll`, `epoll`: of all at once): `.` ends the
   connection, `!` the program, with the number of other bytes on this connection and ten for each connection before; `?`, too, with 100 and how many
   clients hung up. Letters in their order cover branches. By its argument it reads bytes, pieces of four (`chunks`) or a stream of the C library's. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef PLAIN
static unsigned char sp_coverage[8];
#else
extern unsigned char sp_coverage[];
#endif

#ifdef main
/* What the instrumenter does: calls go to the models. */
#define MODELED(name) extern __typeof__(name) __spm_##name
MODELED(bind);
MODELED(listen);
MODELED(accept);
MODELED(recv);
MODELED(send);
MODELED(poll);
MODELED(epoll_wait);
MODELED(fgetc);
MODELED(fclose);
MODELED(close);
#define bind __spm_bind
#define listen __spm_listen
#define accept __spm_accept
#define recv __spm_recv
#define send __spm_send
#define poll __spm_poll
#define epoll_wait __spm_epoll_wait
#define fgetc __spm_fgetc
#define fclose __spm_fclose
#define close __spm_close
#endif

enum { MOST = 4 };
static int done, hung_up, state;
static int heard[64];

/* What a byte of connection `c` does; whether the connection is over. */
static int react(int c, int byte) {
    if (byte == '!')
        exit(10 * done + heard[c]);
    if (byte == '?')
        exit(100 + hung_up);
    if (byte == '.')
        return 1;
    if (byte < 0) {
        hung_up++;
        return 1;
    }
    heard[c]++;
    if (state < 8 && byte == 'a' + state)
        sp_coverage[state++] = 1;
    send(c, "ok\n", 3, MSG_NOSIGNAL);
    return 0;
}

static void over(int c) {
    close(c);
    heard[c] = 0;
    done++;
}

static void bytes(int c) {
    unsigned char byte;
    while (!react(c, recv(c, &byte, 1, 0) == 1 ? byte : -1))
        ;
    over(c);
}

static void chunks(int c) {
    unsigned char four[4];
    for (;;) {
        ssize_t got = recv(c, four, sizeof four, 0);
        for (ssize_t k = 0; k < (got > 0 ? got : 1); k++)
            if (react(c, got > 0 ? four[k] : -1)) {
                over(c);
                return;
            }
    }
}

static void stream(int c) {
    FILE *f = fdopen(c, "r");
    while (!react(c, fgetc(f)))
        ;
    fclose(f);
    heard[c] = 0;
    done++;
}

/* All at once. */
static void together(int listener, int by_epoll) {
    struct pollfd all[1 + MOST] = {{.fd = listener, .events = POLLIN}};
    struct epoll_event ready[1 + MOST], wanted = {.events = EPOLLIN, .data.fd = listener};
    int n = 1, set = by_epoll ? epoll_create1(0) : -1;
    if (by_epoll)
        epoll_ctl(set, EPOLL_CTL_ADD, listener, &wanted);
    for (;;) {
        int n_ready = by_epoll ? epoll_wait(set, ready, 1 + MOST, -1) : poll(all, n, -1);
        for (int k = 0; k < (by_epoll ? n_ready : n); k++) {
            int c = by_epoll ? ready[k].data.fd : all[k].revents ? all[k].fd : -1;
            unsigned char byte;
            if (c == listener) {
                wanted.data.fd = accept(listener, 0, 0);
                if (by_epoll)
                    epoll_ctl(set, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
                else if (n <= MOST)
                    all[n++] = (struct pollfd){.fd = wanted.data.fd, .events = POLLIN};
            } else if (c >= 0 && react(c, recv(c, &byte, 1, 0) == 1 ? byte : -1)) {
                over(c);
                if (!by_epoll)
                    all[k].fd = -1;
            }
        }
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "bytes";
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(4711)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4))
        return 99;
    if (strstr(kind, "poll"))
        together(listener, kind[0] == 'e');
    for (;;) {
        int c = accept(listener, 0, 0);
        if (c < 0)
            return 98;
        (strcmp(kind, "chunks") == 0 ? chunks : strcmp(kind, "stream") == 0 ? stream : bytes)(c);
    }
}
