// SPDX-License-Identifier: Apache-2.0
// A program that takes a GPU's memory step by step, for what watches recordings: "gpu_steps COUNT
// MIB PAUSE [wait]" allocates COUNT times MIB, PAUSE milliseconds apart, frees all but the first,
// and with "wait" stays until it is interrupted; then its exit code is 3.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>
#include <vector>

namespace {

volatile std::sig_atomic_t interrupted = 0;

template <typename Function>
Function find(void* driver, const char* name)
{
    return reinterpret_cast<Function>(::dlsym(driver, name));
}

void rest(int milliseconds)
{
    for (int passed = 0; passed < milliseconds && interrupted == 0; passed += 10)
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 4)
        return 2;
    const int count = std::atoi(argv[1]);
    const std::size_t bytes = static_cast<std::size_t>(std::atoi(argv[2])) << 20U;
    const int pause = std::atoi(argv[3]);
    (void)std::signal(SIGINT, [](int) { interrupted = 1; });
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (driver == nullptr) {
        std::puts("There is no driver.");
        return 1;
    }
    void* context = nullptr;
    using Allocate = int (*)(unsigned long long*, std::size_t);
    const auto allocate = find<Allocate>(driver, "cuMemAlloc_v2");
    const auto release = find<int (*)(unsigned long long)>(driver, "cuMemFree_v2");
    if (find<int (*)(unsigned)>(driver, "cuInit")(0) != 0
        || find<int (*)(void**, int)>(driver, "cuDevicePrimaryCtxRetain")(&context, 0) != 0
        || find<int (*)(void*)>(driver, "cuCtxSetCurrent")(context) != 0)
        return 1;
    std::vector<unsigned long long> blocks;
    for (int i = 0; i < count && interrupted == 0; ++i) {
        if (allocate(&blocks.emplace_back(), bytes) != 0)
            return 1;
        std::printf("step %d\n", i + 1);
        (void)std::fflush(stdout);
        rest(pause);
    }
    for (; blocks.size() > 1; blocks.pop_back())
        (void)release(blocks.back());
    while (argc > 4 && std::strcmp(argv[4], "wait") == 0 && interrupted == 0)
        rest(1000);
    if (interrupted != 0)
        std::puts("interrupted");
    return interrupted != 0 ? 3 : 0;
}
