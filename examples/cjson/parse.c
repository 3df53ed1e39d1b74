/* Reads one JSON text from standard input, prints it back in both of cJSON's styles and compares a copy with it:
   the program that `make demo` explores, linked with the library's own sources. */
#include "cJSON.h"
#include "cJSON_Utils.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static char text[4096];
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    text[length] = '\0';
    cJSON *json = cJSON_Parse(text);
    if (!json) {
        puts("not JSON");
        return 1;
    }
    char *pretty = cJSON_Print(json), *plain = cJSON_PrintUnformatted(json);
    if (pretty) puts(pretty);
    if (plain) cJSON_Minify(plain);
    cJSON *copy = cJSON_Duplicate(json, 1);
    cJSONUtils_SortObject(copy);
    printf("%s\n", cJSON_Compare(json, copy, 1) ? "equal" : "different");
    free(pretty);
    free(plain);
    cJSON_Delete(copy);
    cJSON_Delete(json);
    return 0;
}
