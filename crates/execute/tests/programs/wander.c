/* Is elsewhere before it begins. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wander(void) {
    if (getenv("VICTIM") && chdir(getenv("VICTIM"))) _exit(9);
}

int main(void) { return 7; }
