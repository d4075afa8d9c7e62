// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: memory. Device memory has addresses only, and what is copied to the host is zeros,
// unless the settings say that values are kept.
#include "tests/stand_in_gpu/device_memory.h"
#include "tests/stand_in_gpu/listener.h"
#include "tests/stand_in_gpu/settings.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace plimsoll::stand_in {

namespace {

/// Pinned memory of the host: allocated here, or registered.
class PinnedMemory
{
public:
    static PinnedMemory& get()
    {
        static PinnedMemory memory;
        return memory;
    }
    void add(void* address, std::size_t bytes)
    {
        const std::lock_guard lock{m_mutex};
        m_ranges[static_cast<char*>(address)] = bytes;
    }
    /// The bytes that were pinned there.
    std::size_t remove(void* address)
    {
        const std::lock_guard lock{m_mutex};
        const auto range = m_ranges.find(static_cast<char*>(address));
        if (range == m_ranges.end())
            return 0;
        const std::size_t bytes = range->second;
        m_ranges.erase(range);
        return bytes;
    }
    [[nodiscard]] bool has(const void* address)
    {
        const std::lock_guard lock{m_mutex};
        const auto* at = static_cast<const char*>(address);
        auto after = m_ranges.upper_bound(const_cast<char*>(at));
        if (after == m_ranges.begin())
            return false;
        --after;
        return at < after->first + after->second;
    }

private:
    std::mutex m_mutex;
    std::map<char*, std::size_t> m_ranges;
};

/// Whether an address is of a device and has no memory behind it.
bool isWithoutValues(const void* address)
{
    return !settings().values && DeviceMemory::get().deviceOf(address).has_value();
}

std::uint64_t numberOf(const void* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

bool isOfDevice(const void* address)
{
    return DeviceMemory::get().deviceOf(address).has_value();
}

void copyValues(void* to, const void* from, std::size_t bytes)
{
    if (isWithoutValues(to))
        return;
    if (isWithoutValues(from))
        std::memset(to, 0, bytes);
    else
        std::memmove(to, from, bytes);
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream)
{
    const std::uint64_t begin = eventBegin();
    copyValues(to, from, bytes);
    if (begin > 0)
        tell({.kind = StandInCopied,
              .device = threadState().device,
              .stream = stream,
              .bytes = bytes,
              .begin = begin,
              .copiesFromDevice = isOfDevice(from),
              .copiesToDevice = isOfDevice(to)});
    return cudaSuccess;
}

cudaError_t fill(void* address, int value, std::size_t bytes, cudaStream_t stream)
{
    const std::uint64_t begin = eventBegin();
    if (!isWithoutValues(address))
        std::memset(address, value, bytes);
    tell({.kind = StandInFilled,
          .device = threadState().device,
          .stream = stream,
          .address = numberOf(address),
          .bytes = bytes,
          .begin = begin});
    return cudaSuccess;
}

cudaError_t allocatePinned(void** address, std::size_t bytes)
{
    constexpr std::size_t kAlignment = 4096;
    const std::uint64_t begin = eventBegin();
    *address = std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
    if (*address == nullptr)
        return noted(cudaErrorMemoryAllocation);
    PinnedMemory::get().add(*address, bytes);
    tell({.kind = StandInHostAllocated,
          .device = threadState().device,
          .address = numberOf(*address),
          .bytes = bytes,
          .begin = begin});
    return cudaSuccess;
}

} // namespace

} // namespace plimsoll::stand_in

using namespace plimsoll::stand_in;

extern "C" {

cudaError_t cudaMalloc(void** address, std::size_t bytes)
{
    const int device = threadState().device;
    if (!isDevice(device))
        return noted(cudaErrorNoDevice);
    makeContext(device);
    const std::uint64_t begin = eventBegin();
    *address = bytes == 0 ? nullptr : DeviceMemory::get().allocate(device, bytes);
    const cudaError_t status =
        bytes > 0 && *address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
    tell({.kind = StandInAllocated,
          .device = device,
          .status = status,
          .address = numberOf(*address),
          .bytes = bytes,
          .begin = begin});
    return noted(status);
}

cudaError_t cudaFree(void* address)
{
    if (address == nullptr)
        return cudaSuccess;
    const std::uint64_t begin = eventBegin();
    const auto block = DeviceMemory::get().blockAt(address);
    const std::optional<int> device = DeviceMemory::get().deviceOf(address);
    if (!DeviceMemory::get().free(address))
        return noted(cudaErrorInvalidValue);
    tell({.kind = StandInFreed,
          .device = device.value_or(0),
          .address = numberOf(address),
          .bytes = block ? block->second : 0,
          .begin = begin});
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    *free = DeviceMemory::get().freeBytes(threadState().device);
    *total = settings().memory;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned int /*flags*/)
{
    return allocatePinned(address, bytes);
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes)
{
    return allocatePinned(address, bytes);
}

cudaError_t cudaFreeHost(void* address)
{
    const std::uint64_t begin = eventBegin();
    const std::size_t bytes = PinnedMemory::get().remove(address);
    std::free(address);
    if (bytes > 0)
        tell({.kind = StandInHostFreed,
              .device = threadState().device,
              .address = numberOf(address),
              .bytes = bytes,
              .begin = begin});
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned int /*flags*/)
{
    PinnedMemory::get().add(address, bytes);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* address)
{
    PinnedMemory::get().remove(address);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address)
{
    *attributes = {};
    void* const pointer = const_cast<void*>(address);
    if (const std::optional<int> device = DeviceMemory::get().deviceOf(address)) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->device = *device;
        attributes->devicePointer = pointer;
    } else if (PinnedMemory::get().has(address)) {
        attributes->type = cudaMemoryTypeHost;
        attributes->device = threadState().device;
        attributes->devicePointer = pointer;
        attributes->hostPointer = pointer;
    } else {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = -2; // what CUDA says of memory that it doesn't know
        attributes->hostPointer = pointer;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/)
{
    return copy(to, from, bytes, nullptr);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream)
{
    return copy(to, from, bytes, stream);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int /*device*/, const void* from, int /*peer*/,
                                std::size_t bytes, cudaStream_t stream)
{
    return copy(to, from, bytes, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* /*symbol*/, const void* /*from*/, std::size_t /*bytes*/,
                               std::size_t /*offset*/, cudaMemcpyKind /*kind*/)
{
    return cudaSuccess;
}

cudaError_t cudaMemset(void* address, int value, std::size_t bytes)
{
    return fill(address, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream)
{
    return fill(address, value, bytes, stream);
}

/// A variable of a kernel's module: an address that nothing else has.
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol)
{
    *address = const_cast<void*>(symbol);
    return cudaSuccess;
}

} // extern "C"
