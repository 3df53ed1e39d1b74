//! what: a Unix socket whose connection is read through a stream, line by line
//! goals: 3
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control.sock"};
    unlink(address.sun_path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
        return 1;
    for (;;) {
        int client = accept(listener, NULL, NULL);
        FILE *in = fdopen(client, "r");
        char line[64];
        int level = 0, first = fgetc(in);
        if (first == EOF) {
            fclose(in);
            continue;
        }
        if (first == '#') {
            fprintf(stderr, "SOLVED comment\n");
            ungetc('%', in);
        } else {
            ungetc(first, in);
        }
        while (fgets(line, sizeof line, in)) {
            if (strncmp(line, "level ", 6) == 0)
                level = atoi(line + 6);
            else if (level == 42 && strcmp(line, "go\n") == 0)
                fprintf(stderr, "SOLVED level\n");
            else if (line[0] == '%' && line[1] == 'x')
                fprintf(stderr, "SOLVED put back\n");
        }
        fclose(in);
    }
}
