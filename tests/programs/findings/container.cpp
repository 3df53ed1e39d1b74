//! what: an index that at() refuses
//! finding: uncaught-exception
//! options: --until paths
#include <cstdio>
#include <stdexcept>
#include <string>

#include <vector>

int main() {
    std::vector<int> values = {1, 2, 3};
    int c = std::getchar();
    if (c < '0' || c > '3')
        return 0;
    std::printf("%d\n", values.at(static_cast<std::size_t>(c - '0')));
    return 0;
}
