/* Tests found by Spelunk: the inputs are inside. Runs the program on each and checks that it ends as it did.
 *
 * A program that reads standard input, files or arguments, or accepts connections:
 *     cc -o tests tests.c && ./tests ./program
 * A fuzz harness (LLVMFuzzerTestOneInput), or a program that asks for values (spelunk.h, CREST, KLEE, SV-COMP):
 *     cc -c -Dmain=spelunk_program_main program.c
 *     cc -o tests tests.c program.o && ./tests
 * (-Dmain=… only where there is a main; C++ needs extern "C" before it.) With a number, only that test is run, in this
 * process, for a debugger: ./tests [./program] 3
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* @VALUES@ */
#define TIME_LIMIT 10 /* seconds */

enum kind { STDIN = 1, FILE_CONTENT, ARGUMENT, ENVIRONMENT, VALUE, FUZZ, CONNECTION, END };
enum end { EXITS, DIES, ABORTS, HANGS, ENDS_SOMEHOW };
struct object { int kind; const char *name; const unsigned char *data; size_t length; };
struct test { const char *name; const struct object *objects; int end; int number; };

/* @TESTS@ */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) __attribute__((weak));
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int spelunk_program_main(int argc, char **argv, char **environment) __attribute__((weak));

#define N_TESTS (sizeof tests / sizeof tests[0] - 1)
#define MAX_ARGUMENTS 256

static char folder[64];

static void need(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "tests: cannot %s: %s\n", what, strerror(errno));
        _exit(86);
    }
}

static void append(int file, const void *data, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = write(file, (const char *)data + done, length - done);
        need(n > 0, "write an input");
        done += (size_t)n;
    }
}

/* A file in the test's own folder, open and at its start. */
static int file_with(const char *name, const void *data, size_t length) {
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    need(file >= 0, "write an input file");
    append(file, data, length);
    lseek(file, 0, SEEK_SET);
    return file;
}

static char *text_of(const struct object *object) {
    char *text = malloc(object->length + 1);
    need(text != NULL, "get memory");
    memcpy(text, object->data, object->length);
    text[object->length] = 0;
    return text;
}

/* Puts the test's objects where the program finds them, and its command line into `line`. */
static void prepare(const struct test *test, char **line) {
    int values = -1, ends = 0;
    size_t n = 1;
    for (; arguments[n - 1] && n < MAX_ARGUMENTS; n++)
        line[n] = strdup(arguments[n - 1]);
    line[n] = NULL;
    for (const struct object *o = test->objects; o->kind; o++) {
        unsigned char head[4] = {(unsigned char)o->length, (unsigned char)(o->length >> 8), (unsigned char)(o->length >> 16), (unsigned char)(o->length >> 24)};
        size_t index = o->kind == ARGUMENT ? (size_t)atoi(o->name) : 0;
        switch (o->kind) {
        case STDIN:
            dup2(file_with("stdin", o->data, o->length), 0);
            break;
        case FILE_CONTENT:
            close(file_with(strcmp(o->name, "@@") ? o->name : "input", o->data, o->length));
            break;
        case ARGUMENT:
            if (index > 0 && index < MAX_ARGUMENTS) {
                for (; n <= index; n++)
                    line[n] = strdup(""), line[n + 1] = NULL;
                line[index] = text_of(o);
            }
            break;
        case ENVIRONMENT:
            setenv(o->name, text_of(o), 1);
            break;
        case VALUE:
            if (values < 0)
                values = file_with("values", "", 0);
            append(values, head, 4);
            append(values, o->data, o->length);
            break;
        case END:
            ends = 1;
            break;
        }
    }
    if (ends) {
        static const unsigned char end[4] = {255, 255, 255, 255};
        if (values < 0)
            values = file_with("values", "", 0);
        append(values, end, 4);
    }
    if (values >= 0)
        close(values);
    setenv("SPELUNK_REPLAY", values >= 0 ? "values" : "/dev/null", 1);
    for (size_t k = 1; line[k]; k++)
        if (strcmp(line[k], "@@") == 0)
            line[k] = strdup("input");
}

static int run(const struct test *test, char *program) {
    char *line[MAX_ARGUMENTS + 2] = {program ? program : (char *)PROGRAM};
    char **argv = line;
    int argc = 0;
    need(chdir(folder) == 0, "enter the test's folder");
    prepare(test, line);
    while (line[argc])
        argc++;
    if (LLVMFuzzerTestOneInput) {
        if (LLVMFuzzerInitialize)
            LLVMFuzzerInitialize(&argc, &argv);
        for (const struct object *o = test->objects; o->kind; o++)
            if (o->kind == FUZZ) {
                /* In a block of exactly its length, so that memory checkers see overruns. */
                uint8_t *exact = malloc(o->length);
                if (o->length)
                    memcpy(exact, o->data, o->length);
                LLVMFuzzerTestOneInput(exact, o->length);
                free(exact);
            }
        return 0;
    }
    if (spelunk_program_main)
        return spelunk_program_main(argc, line, environ);
    execv(program, line);
    need(0, "start the program");
    return 86;
}

static int is_as_expected(const struct test *test, int status) {
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    switch (test->end) {
    case EXITS: return WIFEXITED(status) && WEXITSTATUS(status) == test->number;
    case DIES: return signal == test->number;
    case ABORTS: return signal == SIGABRT;
    case HANGS: return signal == SIGALRM;
    default: return 1;
    }
}

/* Whether the process has a socket of this number open. */
static int has_socket(pid_t process, unsigned long number) {
    char path[64], target[64], wanted[64];
    snprintf(wanted, sizeof wanted, "socket:[%lu]", number);
    for (int file = 0; file < 256; file++) {
        ssize_t n;
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, file);
        n = readlink(path, target, sizeof target - 1);
        if (n > 0 && (target[n] = 0, strcmp(target, wanted) == 0))
            return 1;
    }
    return 0;
}

/* A socket connected to the one on which the process listens (of several, the first made), or -1. */
static int reach(pid_t process) {
    static const char *const tables[] = {"tcp", "tcp6", "unix"};
    unsigned long first = 0;
    union { struct sockaddr any; struct sockaddr_in four; struct sockaddr_in6 six; struct sockaddr_un local; } to;
    socklen_t length = 0;
    int file;
    for (int k = 0; k < 3; k++) {
        char path[64], line[512], host[33], name[108];
        unsigned long number;
        unsigned port, state, flags, kind;
        FILE *table;
        snprintf(path, sizeof path, "/proc/%d/net/%s", (int)process, tables[k]);
        table = fopen(path, "r");
        while (table && fgets(line, sizeof line, table)) {
            unsigned char *address = k == 0 ? (unsigned char *)&to.four.sin_addr : (unsigned char *)&to.six.sin6_addr;
            int size = k == 0 ? 4 : 16, is_any = 1;
            name[0] = 0;
            if (k < 2 ? sscanf(line, "%*d: %32[0-9A-F]:%x %*s %x %*s %*s %*s %*d %*d %lu", host, &port, &state, &number) != 4 || state != 10
                      : sscanf(line, "%*s %*s %*s %x %x %*x %lu %107s", &flags, &kind, &number, name) < 4 || !(flags & 0x10000) || kind != 1)
                continue;
            if ((first && number > first) || !has_socket(process, number))
                continue;
            first = number;
            memset(&to, 0, sizeof to);
            if (k == 2) {
                to.local.sun_family = AF_UNIX;
                if (name[0] == '@' || name[0] == '/')
                    snprintf(to.local.sun_path, sizeof to.local.sun_path, "%s", name);
                else
                    snprintf(to.local.sun_path, sizeof to.local.sun_path, "%s/%.40s", folder, name);
                length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(to.local.sun_path) + (name[0] != '@'));
                if (name[0] == '@')
                    to.local.sun_path[0] = 0;
                continue;
            }
            for (int b = 0; b < size; b += 4) {
                char word[9] = {0};
                uint32_t four;
                memcpy(word, host + 2 * b, 8);
                four = (uint32_t)strtoul(word, NULL, 16);
                memcpy(address + b, &four, 4);
                is_any &= four == 0;
            }
            if (k == 0) {
                to.four.sin_family = AF_INET, to.four.sin_port = htons((uint16_t)port), length = sizeof to.four;
                if (is_any)
                    to.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            } else {
                to.six.sin6_family = AF_INET6, to.six.sin6_port = htons((uint16_t)port), length = sizeof to.six;
                if (is_any)
                    address[15] = 1;
            }
        }
        if (table)
            fclose(table);
    }
    if (!first)
        return -1;
    file = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && connect(file, &to.any, length) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* The end of the piece that begins at `from`: of all, a line (`0:line`) or so many bytes (`0:16`). */
static size_t piece_end(const struct object *o, size_t from) {
    const char *how = strchr(o->name, ':');
    const unsigned char *line = how && strcmp(how, ":line") == 0 ? memchr(o->data + from, 10, o->length - from) : NULL;
    size_t size = how ? strtoul(how + 1, NULL, 10) : 0, end = o->length;
    if (line)
        end = (size_t)(line - o->data) + 1;
    else if (size)
        end = (from / size + 1) * size;
    return end < o->length ? end : o->length;
}

/* How many connections the test has. */
static size_t n_connections(const struct test *test) {
    size_t n = 0;
    for (const struct object *o = test->objects; o->kind; o++)
        n += o->kind == CONNECTION;
    return n;
}

/* Is the client of the test's connections until the program ends or has nothing to do any more; true then. */
static int talk(const struct test *test, pid_t process) {
    struct { int file; size_t sent; int done; const struct object *o; } clients[32];
    size_t n = 0, open = 0;
    char answer[4096];
    for (const struct object *o = test->objects; o->kind && n < 32; o++)
        if (o->kind == CONNECTION) {
            clients[n].file = -1, clients[n].sent = 0, clients[n].done = 0, clients[n].o = o;
            n++;
        }
    for (int quiet = 0; quiet < 30;) {
        siginfo_t ended;
        ended.si_pid = 0;
        if (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
            return 0;
        if (open < n && (clients[open].file = reach(process)) >= 0)
            open++;
        quiet = open == n ? quiet + 1 : 0;
        for (size_t k = 0; k < open; k++) {
            const struct object *o = clients[k].o;
            while (recv(clients[k].file, answer, sizeof answer, MSG_DONTWAIT) > 0)
                quiet = 0;
            if (clients[k].done)
                continue;
            quiet = 0;
            if (clients[k].sent < o->length) {
                size_t end = piece_end(o, clients[k].sent);
                ssize_t got = send(clients[k].file, o->data + clients[k].sent, end - clients[k].sent, MSG_DONTWAIT | MSG_NOSIGNAL);
                if (got > 0)
                    clients[k].sent += (size_t)got;
                else if (errno != EAGAIN)
                    clients[k].done = 1;
            } else {
                shutdown(clients[k].file, SHUT_WR);
                clients[k].done = 1;
            }
        }
        usleep(10000);
    }
    for (size_t k = 0; k < open; k++)
        close(clients[k].file);
    return 1;
}

static int check(const struct test *test, char *program) {
    int status = 0, is_idle = 0;
    pid_t child;
    fflush(NULL);
    child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        alarm(TIME_LIMIT);
        exit(run(test, program));
    }
    if (n_connections(test) && (is_idle = talk(test, child)) && test->end != HANGS)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    /* A server that waits for further connections has ended well. */
    if (is_idle && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        status = 0;
    if (is_as_expected(test, status)) {
        printf("ok      %s\n", test->name);
        return 1;
    }
    if (WIFSIGNALED(status))
        printf("FAILED  %s: signal %d\n", test->name, WTERMSIG(status));
    else
        printf("FAILED  %s: exit code %d\n", test->name, WEXITSTATUS(status));
    return 0;
}

int main(int argc, char **argv) {
    size_t only = argc > 1 ? (size_t)atoi(argv[argc - 1]) : 0, good = 0;
    char *program = NULL;
    snprintf(folder, sizeof folder, "/tmp/spelunk-tests-XXXXXX");
    if (!LLVMFuzzerTestOneInput && !spelunk_program_main) {
        program = argc > 1 ? realpath(argv[1], NULL) : NULL;
        if (!program) {
            fprintf(stderr, "usage: %s PROGRAM [NUMBER]\n", argv[0]);
            return 2;
        }
    }
    need(mkdtemp(folder) != NULL, "make a folder for the tests");
    if (only > 0 && only <= N_TESTS)
        return run(&tests[only - 1], program);
    for (size_t k = 0; k < N_TESTS; k++)
        good += (size_t)check(&tests[k], program);
    for (const char *const *name = (const char *const[]){"stdin", "input", "values", NULL}; *name; name++) {
        char path[96];
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        unlink(path);
    }
    rmdir(folder);
    printf("%zu of %zu tests as expected\n", good, N_TESTS);
    return good == N_TESTS ? 0 : 1;
}
