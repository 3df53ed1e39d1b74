//! what: what one recv gives is a message; the client sends line by line
//! options: --connections 1:line
//! goals: 3
//! runs: 1000
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), state = 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(2525)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
        return 1;
    int client = accept(listener, NULL, NULL);
    for (;;) {
        char message[32] = "";
        ssize_t n = recv(client, message, sizeof message - 1, 0);
        if (n <= 0)
            break;
        if (state == 0 && strcmp(message, "hi\n") == 0) {
            fprintf(stderr, "SOLVED greeting\n");
            state = 1;
        } else if (state == 1 && strncmp(message, "to ", 3) == 0) {
            fprintf(stderr, "SOLVED recipient\n");
            state = 2;
        } else if (state == 2 && message[0] == '.') {
            fprintf(stderr, "SOLVED end\n");
        }
        send(client, "ok\n", 3, MSG_NOSIGNAL);
    }
    return 0;
}
