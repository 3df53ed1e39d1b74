//! what: a crash behind a login, in a server that answers more than any buffer holds
//! finding: null-dereference
//! runs: 1500
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char answer[1 << 20];

/* One byte at a time, as simple servers do. */
static int read_line(int client, char *line, int room) {
    int n = 0;
    while (n < room - 1 && recv(client, line + n, 1, 0) == 1) {
        if (line[n] == '\n') {
            line[n] = 0;
            return 1;
        }
        n++;
    }
    return 0;
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(2121)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4))
        return 1;
    for (;;) {
        int client = accept(listener, NULL, NULL), logged_in = 0;
        char line[32], *name = NULL;
        while (read_line(client, line, sizeof line)) {
            send(client, answer, sizeof answer, MSG_NOSIGNAL);
            if (strcmp(line, "USER me") == 0)
                logged_in = 1;
            else if (logged_in && strncmp(line, "NAME", 4) == 0)
                printf("%c\n", *name);
        }
        close(client);
    }
}
