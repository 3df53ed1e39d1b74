/* A server of many kinds. It reads each connection to its end; a connection that says `exit` ends it with the number of
   bytes of all connections so far, `crash` with an abort; `calls` with the number of calls that gave bytes. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef main
/* What the instrumenter does: calls go to the models. */
#define MODELED(name) extern __typeof__(name) __spm_##name
MODELED(bind);
MODELED(listen);
MODELED(accept);
MODELED(recv);
MODELED(send);
MODELED(poll);
#define bind __spm_bind
#define listen __spm_listen
#define accept __spm_accept
#define recv __spm_recv
#define send __spm_send
#define poll __spm_poll
#endif

static int total;

static void serve(int client) {
    static char answer[1 << 19];
    char text[4096];
    int n = 0, calls = 0;
    ssize_t got;
    while (n < (int)sizeof text - 1 && (got = recv(client, text + n, sizeof text - 1 - n, 0)) > 0) {
        n += got;
        calls++;
        send(client, answer, sizeof answer, MSG_NOSIGNAL);
    }
    text[n] = 0;
    total += n;
    if (strstr(text, "crash"))
        abort();
    if (strstr(text, "calls"))
        exit(calls);
    if (strstr(text, "exit"))
        exit(total);
    if (strstr(text, "spin"))
        for (;;)
            ;
    close(client);
}

static int bound(const char *kind) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(4711)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(4711), .sin6_addr = in6addr_loopback};
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
    struct sockaddr *address = (struct sockaddr *)&four;
    socklen_t length = sizeof four;
    if (strcmp(kind, "six") == 0)
        address = (struct sockaddr *)&six, length = sizeof six;
    if (strcmp(kind, "unix") == 0 || strcmp(kind, "abstract") == 0)
        address = (struct sockaddr *)&local, length = sizeof local;
    if (strcmp(kind, "abstract") == 0) {
        memcpy(local.sun_path, "\0name", 5);
        length = offsetof(struct sockaddr_un, sun_path) + 5;
    }
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    if (bind(fd, address, length) || listen(fd, 4))
        exit(99);
    return fd;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "four";
    if (strcmp(kind, "never") == 0)
        return 7;
    int listener = bound(kind);
    for (int waits = 0;;) {
        struct pollfd ready = {.fd = listener, .events = POLLIN};
        if (strcmp(kind, "poll") == 0)
            poll(&ready, 1, -1);
        if (strcmp(kind, "timer") == 0 && poll(&ready, 1, 20) == 0) {
            if (++waits == 3)
                exit(33);
            continue;
        }
        int client = accept(listener, NULL, NULL);
        if (client < 0)
            exit(98);
        serve(client);
    }
}
