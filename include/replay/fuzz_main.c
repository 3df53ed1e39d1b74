/* Replay library: `main` for LLVMFuzzerTestOneInput harnesses: each file named as an argument is one input, without
 * arguments standard input is.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The input in a block of exactly its length, so that memory checkers see overruns. */
static int run(FILE *file, const char *name) {
    uint8_t *all = NULL;
    size_t length = 0, room = 0;
    for (;;) {
        if (length == room) {
            room = room ? 2 * room : 4096;
            uint8_t *larger = realloc(all, room);
            if (!larger) {
                fprintf(stderr, "%s: too large for the memory\n", name);
                exit(86);
            }
            all = larger;
        }
        size_t n = fread(all + length, 1, room - length, file);
        if (n == 0)
            break;
        length += n;
    }
    uint8_t *exact = malloc(length);
    if (length) {
        if (!exact)
            exit(86);
        memcpy(exact, all, length);
    }
    free(all);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
    return 0;
}

int main(int argc, char **argv) {
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (argc < 2)
        return run(stdin, "standard input");
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 86;
        }
        run(file, argv[i]);
        fclose(file);
    }
    return 0;
}
