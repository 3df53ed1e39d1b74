//! what: epoll, edge-triggered, until there is nothing more to read
//! goals: 1
//! runs: 1000
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static char kept[256];
static size_t n_kept;

static void take(int client) {
    for (;;) {
        ssize_t n = recv(client, kept + n_kept, sizeof kept - n_kept, 0);
        if (n <= 0) {
            if (n == 0 || errno != EAGAIN)
                close(client);
            break;
        }
        n_kept += (size_t)n;
    }
    if (n_kept > 6 && memcmp(kept, "GET /", 5) == 0 && kept[5] == 'k' && kept[n_kept - 1] == '\n')
        fprintf(stderr, "SOLVED request\n");
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), queue = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8000)};
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, SOMAXCONN))
        return 1;
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct epoll_event events[4];
        int n = epoll_wait(queue, events, 4, -1);
        for (int k = 0; k < n; k++) {
            if (events[k].data.fd != listener) {
                take(events[k].data.fd);
                continue;
            }
            int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
            event = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.fd = client};
            epoll_ctl(queue, EPOLL_CTL_ADD, client, &event);
        }
    }
}
