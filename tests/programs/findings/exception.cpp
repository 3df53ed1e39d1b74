//! what: an exception that nobody catches
//! finding: uncaught-exception
#include <cstdio>
#include <stdexcept>
#include <string>

int main() {
    char line[8] = {};
    if (!std::fgets(line, sizeof line, stdin))
        return 0;
    try {
        if (line[0] == 't' && line[1] == '1')
            throw std::runtime_error("caught");
        if (line[0] == 't' && line[1] == '2')
            throw 2;
    } catch (const std::exception &) {
        return 1;
    }
    return 0;
}
