// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace plimsoll::cli {

/// CUDA's driver, opened as libcuda.so.1 when the program runs: neither its headers nor a library
/// of CUDA's is needed to build. Functions and structs are those of cuda.h from CUDA 11.2 on;
/// each function returns 0 or the number of an error.
struct Driver
{
    using Address = std::uint64_t; ///< CUdeviceptr
    using Handle = std::uint64_t;  ///< CUmemGenericAllocationHandle
    using Object = void*;          ///< CUcontext, CUmodule, CUfunction, CUstream

    /// CUmemLocation; `type` 1 is a device.
    struct Location
    {
        int type = 1;
        int device = 0;
    };
    /// CUmemAllocationProp; `type` 1 is pinned, the only one that there is.
    struct PhysicalMemory
    {
        int type = 1;
        int exportable = 0;
        Location location;
        void* windows = nullptr;
        std::uint64_t flags = 0;
    };
    /// CUmemAccessDesc; `access` 3 is reading and writing.
    struct Access
    {
        Location location;
        int access = 3;
    };
    static constexpr int kVirtualMemorySupported = 102; ///< attributes of a device
    static constexpr int kPoolsSupported = 115;
    static constexpr int kMajor = 75;
    static constexpr int kMinor = 76;

    /// An error of kind File, as one sentence, where there is no driver or one that is too old.
    [[nodiscard]] static base::Result<Driver> open();

    /// "cuMemAlloc_v2 failed with CUDA_ERROR_OUT_OF_MEMORY".
    [[nodiscard]] std::string failureOf(const char* call, int status) const;

    int (*init)(unsigned flags) = nullptr;
    int (*version)(int* version) = nullptr;
    int (*deviceCount)(int* count) = nullptr;
    int (*device)(int* device, int ordinal) = nullptr;
    int (*deviceName)(char* name, int room, int device) = nullptr;
    int (*attribute)(int* value, int attribute, int device) = nullptr;
    int (*retainContext)(Object* context, int device) = nullptr;
    int (*releaseContext)(int device) = nullptr;
    int (*setContext)(Object context) = nullptr;
    int (*synchronize)() = nullptr;
    int (*errorName)(int error, const char** name) = nullptr;

    int (*allocate)(Address* address, std::size_t bytes) = nullptr;
    int (*free)(Address address) = nullptr;
    int (*allocateAsync)(Address* address, std::size_t bytes, Object stream) = nullptr;
    int (*freeAsync)(Address address, Object stream) = nullptr;
    int (*allocateHost)(void** address, std::size_t bytes, unsigned flags) = nullptr;
    int (*freeHost)(void* address) = nullptr;

    int (*granularity)(std::size_t* bytes, const PhysicalMemory* memory, int option) = nullptr;
    int (*reserve)(Address* address, std::size_t bytes, std::size_t alignment, Address wanted,
                   unsigned long long flags) = nullptr;
    int (*freeRange)(Address address, std::size_t bytes) = nullptr;
    int (*create)(Handle* handle, std::size_t bytes, const PhysicalMemory* memory,
                  unsigned long long flags) = nullptr;
    int (*release)(Handle handle) = nullptr;
    int (*map)(Address address, std::size_t bytes, std::size_t offset, Handle handle,
               unsigned long long flags) = nullptr;
    int (*unmap)(Address address, std::size_t bytes) = nullptr;
    int (*setAccess)(Address address, std::size_t bytes, const Access* access,
                     std::size_t count) = nullptr;

    int (*copyToDevice)(Address to, const void* from, std::size_t bytes) = nullptr;
    int (*copyToHost)(void* to, Address from, std::size_t bytes) = nullptr;
    int (*copyOnDevice)(Address to, Address from, std::size_t bytes) = nullptr;
    int (*fill)(Address address, unsigned char value, std::size_t bytes) = nullptr;

    int (*loadModule)(Object* module, const void* image) = nullptr;
    int (*unloadModule)(Object module) = nullptr;
    int (*function)(Object* function, Object module, const char* name) = nullptr;
    int (*launch)(Object function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                  unsigned blockY, unsigned blockZ, unsigned shared, Object stream,
                  void** arguments, void** extra) = nullptr;
};
static_assert(sizeof(Driver::PhysicalMemory) == 32 && sizeof(Driver::Access) == 12,
              "the layouts of cuda.h");

} // namespace plimsoll::cli
