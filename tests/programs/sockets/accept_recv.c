//! what: a loop of accept and recv; the connection's bytes decide
//! goals: 2
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve(int client) {
    char text[64];
    ssize_t n = recv(client, text, sizeof text, 0);
    if (n >= 4 && memcmp(text, "PING", 4) == 0) {
        fprintf(stderr, "SOLVED ping\n");
        send(client, "PONG", 4, 0);
    }
    if (n > 9 && text[8] == '!' && text[9] == (text[0] ^ text[1]))
        fprintf(stderr, "SOLVED longer\n");
}

int main(void) {
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7777)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4))
        return 1;
    for (;;) {
        struct sockaddr_in peer, own;
        socklen_t length = sizeof peer, own_length = sizeof own;
        int client = accept(listener, (struct sockaddr *)&peer, &length);
        if (client < 0)
            return 2;
        if (length != sizeof peer || peer.sin_family != AF_INET || peer.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
            return 3;
        if (getsockname(client, (struct sockaddr *)&own, &own_length) || ntohs(own.sin_port) != 7777)
            return 4;
        if (setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
            return 5;
        serve(client);
        close(client);
    }
}
