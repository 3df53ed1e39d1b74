#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern uint8_t sp_coverage[] __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, __SIZE_TYPE__ n) {
    if (n == 3 && !memcmp(data, "boo", 3)) abort();
    if (sp_coverage) sp_coverage[n & 7] = 1;
    return 0;
}
