// SPDX-License-Identifier: Apache-2.0
// CUDA driver: what a program does without the runtime. Memory, copies and fills are the runtime's
// under other names; of a module only the names of its kernels count, and no kernel runs.
#include "tests/stand_in_gpu/device_memory.h"
#include "tests/stand_in_gpu/listener.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <mutex>
#include <optional>
#include <set>
#include <string>

using namespace plimsoll::stand_in;

namespace {

/// A module is its text; a function is its name, which stays when the module goes.
struct Module
{
    std::string text;
};

const std::string& keptName(const std::string& name)
{
    static std::mutex mutex;
    static auto* const kNames = new std::set<std::string>;
    const std::lock_guard lock{mutex};
    return *kNames->insert(name).first;
}

/// The statuses of both interfaces have the same numbers.
CUresult statusOf(cudaError_t error)
{
    return static_cast<CUresult>(error);
}

void* placeAt(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// The default pool of a device: an address that nothing else has.
std::uint64_t poolOf(int device)
{
    static char pools[16];
    return reinterpret_cast<std::uintptr_t>(&pools[device]);
}

} // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes)
{
    const ThroughDriver driver;
    void* place = nullptr;
    const cudaError_t error = bytes > 0 ? cudaMalloc(&place, bytes) : cudaErrorInvalidValue;
    *address = reinterpret_cast<CUdeviceptr>(place);
    return statusOf(error);
}

CUresult cuMemFree(CUdeviceptr address)
{
    const ThroughDriver driver;
    return statusOf(cudaFree(placeAt(address)));
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream)
{
    const ThroughDriver driver;
    const int device = threadState().device;
    const std::uint64_t begin = eventBegin();
    *address = reinterpret_cast<CUdeviceptr>(DeviceMemory::get().allocate(device, bytes));
    const CUresult status = *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    tell({.kind = StandInAllocated,
          .device = device,
          .status = status,
          .stream = stream,
          .address = *address,
          .bytes = bytes,
          .begin = begin,
          .pool = poolOf(device)});
    return status;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    const ThroughDriver driver;
    const std::uint64_t begin = eventBegin();
    const auto block = DeviceMemory::get().blockAt(placeAt(address));
    const std::optional<int> device = DeviceMemory::get().deviceOf(placeAt(address));
    if (!block || !device || !DeviceMemory::get().free(placeAt(address)))
        return CUDA_ERROR_INVALID_VALUE;
    tell({.kind = StandInFreed,
          .device = *device,
          .stream = stream,
          .address = address,
          .bytes = block->second,
          .begin = begin,
          .pool = poolOf(*device)});
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned int flags)
{
    const ThroughDriver driver;
    return statusOf(cudaHostAlloc(address, bytes, flags));
}

CUresult cuMemFreeHost(void* address)
{
    const ThroughDriver driver;
    return statusOf(cudaFreeHost(address));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes)
{
    const ThroughDriver driver;
    return statusOf(cudaMemcpy(placeAt(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes)
{
    const ThroughDriver driver;
    return statusOf(cudaMemcpy(to, placeAt(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes)
{
    const ThroughDriver driver;
    return statusOf(cudaMemcpy(placeAt(to), placeAt(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, std::size_t bytes)
{
    const ThroughDriver driver;
    return statusOf(cudaMemset(placeAt(address), value, bytes));
}

CUresult cuModuleLoadData(CUmodule* module, const void* image)
{
    *module = reinterpret_cast<CUmodule>(new Module{static_cast<const char*>(image)});
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    delete reinterpret_cast<Module*>(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name)
{
    const std::string& text = reinterpret_cast<const Module*>(module)->text;
    if (text.find(".entry " + std::string{name} + "(") == std::string::npos)
        return CUDA_ERROR_NOT_FOUND;
    *function = reinterpret_cast<CUfunction>(const_cast<char*>(keptName(name).c_str()));
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                        unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int /*shared*/, CUstream stream,
                        void** /*arguments*/, void** /*extra*/)
{
    const ThroughDriver driver;
    if (const std::uint64_t begin = eventBegin(); begin > 0)
        tell({.kind = StandInLaunched,
              .device = threadState().device,
              .stream = stream,
              .begin = begin,
              .name = reinterpret_cast<const char*>(function),
              .grid = {gridX, gridY, gridZ},
              .block = {blockX, blockY, blockZ}});
    return CUDA_SUCCESS;
}

} // extern "C"
