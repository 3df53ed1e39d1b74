//! what: poll over a listener and its connections, none of which wait; two clients at once
//! options: --connections 2
//! goals: 3
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 8

int main(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(7001), .sin6_addr = in6addr_any};
    struct pollfd waits[MOST] = {{.fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), .events = POLLIN}};
    int n = 1, names = 0;
    if (bind(waits[0].fd, (struct sockaddr *)&address, sizeof address) || listen(waits[0].fd, MOST))
        return 1;
    for (;;) {
        if (poll(waits, (nfds_t)n, -1) < 0)
            return 2;
        for (int k = n - 1; k > 0; k--) {
            char text[32] = "";
            ssize_t length = waits[k].revents ? read(waits[k].fd, text, sizeof text - 1) : -1;
            if (length > 0 && strncmp(text, "name ", 5) == 0) {
                fprintf(stderr, "SOLVED name\n");
                names |= text[5] == 'a' ? 1 : text[5] == 'b' ? 2 : 0;
                if (names == 3)
                    fprintf(stderr, "SOLVED both\n");
            }
            if (length == 0) {
                fprintf(stderr, "SOLVED end\n");
                close(waits[k].fd);
                waits[k] = waits[--n];
            }
        }
        if (waits[0].revents && n < MOST) {
            int client = accept4(waits[0].fd, NULL, NULL, SOCK_NONBLOCK);
            if (client >= 0)
                waits[n++] = (struct pollfd){.fd = client, .events = POLLIN};
        }
    }
}
