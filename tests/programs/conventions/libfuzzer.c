//! what: a libFuzzer harness, as it is
//! finding: abort
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A record: tag, length, payload, and a checksum of the payload. */
static int parse(const uint8_t *data, size_t size) {
    if (size < 3 || data[0] != 0xA7) return -1;
    size_t length = data[1];
    if (length < 4 || size < length + 3) return -2;
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++) sum = (uint8_t)(sum * 31 + data[2 + i]);
    if (sum != data[2 + length]) return -3;
    return memcmp(data + 2, "boom", 4) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (parse(data, size) == 1) abort();
    return 0;
}
