/* A fuzz target whose coverage varies a little: of forty places one is covered from the third run of a process on, and another
   after four hundred runs if the input is "late". */
#include <stdint.h>
#include <string.h>
extern uint8_t sp_coverage[];
static int runs;
int LLVMFuzzerTestOneInput(const uint8_t *data, __SIZE_TYPE__ n) {
    runs++;
    memset(sp_coverage, 1, 40);
    if (runs > 2) sp_coverage[50] = 1;
    if (runs > 400 && n == 4 && !memcmp(data, "late", 4)) sp_coverage[51] = 1;
    return 0;
}
