//! what: a pointer that is null for one key
//! finding: null-dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key;
    int value;
};
static struct entry entries[] = {{'a', 1}, {'b', 2}};

static struct entry *find(char key) {
    for (int i = 0; i < 2; i++)
        if (entries[i].key == key)
            return &entries[i];
    return NULL;
}

int main(void) {
    unsigned char b[8] = {0};
    size_t n = fread(b, 1, sizeof b, stdin);
    if (n < 2 || b[0] != '=')
        return 0;
    struct entry *found = find((char)b[1]);
    printf("%d\n", found->value);
    return 0;
}
