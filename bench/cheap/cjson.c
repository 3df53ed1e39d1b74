/* cJSON in one unit: the harness that the project itself gives to libFuzzer (fuzzing/cjson_read_fuzzer.c). */
#include "cJSON.c"
#include "fuzzing/cjson_read_fuzzer.c"
