//! what: a thread for each connection
//! flags: -pthread
//! options: --connections 2
//! goals: 2
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int opened;

static void *serve(void *argument) {
    int client = (int)(intptr_t)argument;
    char text[16] = "";
    ssize_t n = read(client, text, sizeof text - 1);
    pthread_mutex_lock(&mutex);
    if (n > 0 && strcmp(text, "open") == 0) {
        fprintf(stderr, "SOLVED open\n");
        if (++opened == 2)
            fprintf(stderr, "SOLVED both open\n");
    }
    pthread_mutex_unlock(&mutex);
    write(client, "done", 4);
    close(client);
    return NULL;
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9000)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4))
        return 1;
    for (;;) {
        pthread_t thread;
        int client = accept(listener, NULL, NULL);
        if (client < 0 || pthread_create(&thread, NULL, serve, (void *)(intptr_t)client))
            return 2;
        pthread_detach(thread);
    }
}
