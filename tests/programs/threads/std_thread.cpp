//! what: std::thread, std::mutex, std::atomic and a promise
//! flags: -pthread
#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
static std::mutex m;
static std::atomic<int> sum{0};
static int parts[2];
int main() {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 0;
    std::promise<int> p;
    std::future<int> f = p.get_future();
    std::thread one([&] { sum += b[0] * 2; std::lock_guard<std::mutex> g(m); parts[0] = b[1]; });
    std::thread two([&] { sum += b[2] * 3; p.set_value(b[3] - 40); });
    one.join();
    two.join();
    if (sum == 901 && parts[0] == 'T' && f.get() == 2) fputs("SOLVED\n", stderr);
    return 0;
}
