//! what: the C++ library throws from two places of the program's own code, one of which nobody catches
//! finding: uncaught-exception
#include <cstdio>
#include <stdexcept>
#include <string>

static unsigned number(const std::string &text) {
    return static_cast<unsigned>(std::stoul(text));
}

int main() {
    char line[8] = {};
    if (!std::fgets(line, sizeof line, stdin))
        return 0;
    if (line[0] == 'n') {
        try {
            return number(line + 1) == 7;
        } catch (const std::invalid_argument &) {
            return 1;
        }
    }
    if (line[0] == 's')
        return std::string("abc").substr(line[1] == 'X' ? 4 : 2).size() == 1;
    return 0;
}
