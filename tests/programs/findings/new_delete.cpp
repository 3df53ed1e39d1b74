//! what: what new made, free gives back
//! finding: bad-free
#include <cstdio>
#include <stdexcept>
#include <string>

#include <cstdlib>

int main() {
    int *value = new int(std::getchar());
    if (*value == '~')
        std::free(value);
    else
        delete value;
    return 0;
}
