// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/listener.h"

#include <array>
#include <atomic>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <unordered_map>

namespace plimsoll::stand_in {

namespace {

std::atomic<StandInGpuListener> listening{nullptr};
thread_local bool throughDriver = false;

struct KernelNames
{
    std::mutex mutex;
    std::unordered_map<const void*, const char*> names;
};

/// Never destroyed: libraries register and launch until the process ends.
KernelNames& kernelNames()
{
    static auto* const kNames = new KernelNames;
    return *kNames;
}

} // namespace

std::uint64_t eventBegin()
{
    if (listening.load(std::memory_order_acquire) == nullptr)
        return 0;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U
           + static_cast<std::uint64_t>(now.tv_nsec);
}

void tell(const StandInGpuEvent& event)
{
    const StandInGpuListener listener = listening.load(std::memory_order_acquire);
    if (listener == nullptr)
        return;
    StandInGpuEvent told = event;
    told.throughDriver = throughDriver;
    listener(&told);
}

ThroughDriver::ThroughDriver()
{
    throughDriver = true;
}

ThroughDriver::~ThroughDriver()
{
    throughDriver = false;
}

const char* kernelName(const void* function)
{
    // Launches are many and CUPTI's own cost is not what is to be measured with it.
    thread_local std::unordered_map<const void*, const char*> known;
    if (const auto found = known.find(function); found != known.end())
        return found->second;
    const std::lock_guard lock{kernelNames().mutex};
    const auto found = kernelNames().names.find(function);
    if (found == kernelNames().names.end())
        return nullptr;
    return known[function] = found->second;
}

} // namespace plimsoll::stand_in

extern "C" {

void standInGpuListen(StandInGpuListener listener)
{
    plimsoll::stand_in::listening.store(listener, std::memory_order_release);
}

/// Notes the kernel's name and hands on to the real runtime, which keeps the registration.
void __cudaRegisterFunction(void** module, const char* function, char* deviceFunction,
                            const char* deviceName, int threadLimit, void* thread, void* block,
                            void* blockSize, void* gridSize, int* warpSize)
{
    using Register =
        void (*)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
    static const auto kReal =
        reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cudaRegisterFunction"));
    {
        auto& kernels = plimsoll::stand_in::kernelNames();
        const std::lock_guard lock{kernels.mutex};
        kernels.names[function] = deviceName;
    }
    if (kReal != nullptr)
        kReal(module, function, deviceFunction, deviceName, threadLimit, thread, block, blockSize,
              gridSize, warpSize);
}

} // extern "C"
