/* Tests found by Spelunk: the inputs are inside. Runs the program on each and checks that it ends as it did.
 *
 * A program that reads standard input, files or arguments:
 *     cc -o tests tests.c && ./tests ./program
 * A fuzz harness (LLVMFuzzerTestOneInput), or a program that asks for values (spelunk.h, CREST, KLEE, SV-COMP):
 *     cc -c -Dmain=spelunk_program_main program.c
 *     cc -o tests tests.c program.o && ./tests
 * (-Dmain=… only where there is a main; C++ needs extern "C" before it.) With a number, only that test is run, in this
 * process, for a debugger: ./tests [./program] 3
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* @VALUES@ */
#define TIME_LIMIT 10 /* seconds */

enum kind { STDIN = 1, FILE_CONTENT, ARGUMENT, ENVIRONMENT, VALUE, FUZZ, END };
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
    int values = -1;
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

static int check(const struct test *test, char *program) {
    int status = 0;
    pid_t child;
    fflush(NULL);
    child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        alarm(TIME_LIMIT);
        exit(run(test, program));
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
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
