//! what: select with a time limit, two connections, readv and a look ahead
//! options: --connections 2
//! goals: 3
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), clients[2], n = 0, sum = 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 0};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 2))
        return 1;
    if (getsockname(listener, (struct sockaddr *)&address, &length) || address.sin_port == 0)
        return 2;
    for (;;) {
        fd_set set;
        struct timeval limit = {.tv_usec = 50000};
        FD_ZERO(&set);
        FD_SET(listener, &set);
        for (int k = 0; k < n; k++)
            FD_SET(clients[k], &set);
        int ready = select(64, &set, NULL, NULL, &limit);
        if (ready < 0)
            return 3;
        if (ready == 0)
            fprintf(stderr, "SOLVED nothing for a while\n");
        for (int k = n - 1; k >= 0; k--) {
            unsigned char kind = 0, body[4] = {0};
            if (!FD_ISSET(clients[k], &set))
                continue;
            if (recv(clients[k], &kind, 1, MSG_PEEK) == 1 && kind == 0xab) {
                unsigned char again;
                struct iovec parts[2] = {{&again, 1}, {body, sizeof body}};
                if (readv(clients[k], parts, 2) == 5 && again == kind && body[0] + body[3] == 300) {
                    fprintf(stderr, "SOLVED message\n");
                    if (++sum == 2)
                        fprintf(stderr, "SOLVED two messages\n");
                }
            }
            close(clients[k]);
            clients[k] = clients[--n];
        }
        if (FD_ISSET(listener, &set) && n < 2)
            clients[n++] = accept(listener, NULL, NULL);
    }
}
