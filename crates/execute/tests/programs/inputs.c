/* Says by its exit code and coverage what it was given. Argument 1 chooses. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
extern unsigned char sp_coverage[] __attribute__((weak));
static void cover(int i) { if (sp_coverage) sp_coverage[i] = 1; }
static int sum(FILE *f) { int c, s = 0; if (!f) return 250; while ((c = getc(f)) != EOF) s += c; return s & 127; }
static int fcntl_open(int fd) { return fcntl(fd, F_GETFD) != -1; }
static void mkdir_deep(void) { for (int i = 0; i < 100 && mkdir("d", 0700) == 0 && chdir("d") == 0; i++); }
__attribute__((constructor)) static void early(void) { cover(7); cover(8); }

int main(int argc, char **argv, char **envp) {
    cover(9);
    const char *what = argc > 1 ? argv[1] : "stdin";
    if (!strcmp(what, "stdin")) { cover(0); return sum(stdin); }
    if (!strcmp(what, "file")) { cover(1); return sum(fopen(argv[2], "r")); }
    if (!strcmp(what, "arg")) { cover(2); return (argc << 4) + strlen(argv[argc - 1]); }
    if (!strcmp(what, "env")) { cover(3); return getenv("GREETING") ? strlen(getenv("GREETING")) : 200; }
    if (!strcmp(what, "named")) { cover(4); return sum(fopen("conf/app.ini", "r")); }
    if (!strcmp(what, "clean")) {
        for (char **e = envp; *e; e++) if (!strncmp(*e, "SPELUNK_", 8)) return 1;
        for (int fd = 3; fd < 256; fd++) if (fcntl_open(fd)) return 2;
        return 0;
    }
    if (!strcmp(what, "stack")) {
        unsigned long frame = (unsigned long)__builtin_frame_address(0) >> 4;
        return (frame ^ frame >> 7 ^ frame >> 14) & 127;
    }
    if (!strcmp(what, "litter")) {
        if (access("left", F_OK) == 0) return 9;
        FILE *f = fopen("left", "w"); fputs("x", f); fclose(f);
        mkdir_deep();
        return 0;
    }
    return 99;
}
