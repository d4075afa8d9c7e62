// SPDX-License-Identifier: Apache-2.0
// CUDA driver: contexts, and the virtual memory that expandable segments are made of.
#include "tests/stand_in_gpu/device_memory.h"
#include "tests/stand_in_gpu/injection.h"
#include "tests/stand_in_gpu/listener.h"
#include "tests/stand_in_gpu/settings.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <cuda.h>

#include <cstdio>

using namespace plimsoll::stand_in;

namespace {

void* pointerTo(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// Tells of a call on virtual memory and returns its status.
CUresult told(StandInGpuEvent event, CUresult status)
{
    event.status = status;
    tell(event);
    return status;
}

/// Contexts are told apart by their device only.
CUcontext contextOf(int device)
{
    static char contexts[16];
    return reinterpret_cast<CUcontext>(&contexts[device]);
}

} // namespace

extern "C" {

CUresult cuInit(unsigned int /*flags*/)
{
    loadInjection();
    return settings().devices > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int* version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count)
{
    *count = settings().devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal)
{
    *device = ordinal;
    return isDevice(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device)
{
    if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        || attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) {
        *value = 1;
        return CUDA_SUCCESS;
    }
    // The numbers are the same in both interfaces.
    return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device)
                   == cudaSuccess
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* name, int room, CUdevice device)
{
    if (!isDevice(device) || room <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(room), "stand-in GPU");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device)
{
    *uuid = {};
    uuid->bytes[0] = static_cast<char>(device + 1);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active)
{
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = hasContext(device) ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    makeContext(device);
    *context = contextOf(device);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return isDevice(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/// Nothing is under way: all work is done when its call returns.
CUresult cuCtxSynchronize()
{
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context)
{
    const int device = threadState().device;
    *context = hasContext(device) ? contextOf(device) : nullptr;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    for (int device = 0; device < settings().devices; ++device)
        if (context == contextOf(device))
            threadState().device = device;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text)
{
    *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "error of the stand-in GPU";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text)
{
    return cuGetErrorString(error, text);
}

/// No log is written.
CUresult cuLogsRegisterCallback(CUlogsCallback /*callback*/, void* /*data*/,
                                CUlogsCallbackHandle* out)
{
    if (out != nullptr)
        *out = nullptr;
    return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle /*callback*/)
{
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* /*prop*/,
                                       CUmemAllocationGranularity_flags /*option*/)
{
    *bytes = DeviceMemory::kPage;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t /*alignment*/,
                             CUdeviceptr /*wanted*/, unsigned long long /*flags*/)
{
    const std::uint64_t begin = eventBegin();
    *address = reinterpret_cast<CUdeviceptr>(DeviceMemory::get().reserve(bytes));
    return told({.kind = StandInRangeReserved, .address = *address, .bytes = bytes, .begin = begin},
                CUDA_SUCCESS);
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes)
{
    const std::uint64_t begin = eventBegin();
    return told({.kind = StandInRangeFreed, .address = address, .bytes = bytes, .begin = begin},
                CUDA_SUCCESS);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* prop, unsigned long long /*flags*/)
{
    if (!isDevice(prop->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    const std::uint64_t begin = eventBegin();
    *handle = DeviceMemory::get().create(prop->location.id, bytes);
    return told({.kind = StandInMemoryCreated,
                 .device = prop->location.id,
                 .bytes = bytes,
                 .handle = *handle,
                 .begin = begin},
                *handle != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    const std::uint64_t begin = eventBegin();
    return told({.kind = StandInMemoryReleased, .handle = handle, .begin = begin},
                DeviceMemory::get().release(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t /*offset*/,
                  CUmemGenericAllocationHandle handle, unsigned long long /*flags*/)
{
    const std::uint64_t begin = eventBegin();
    return told({.kind = StandInMapped,
                 .address = address,
                 .bytes = bytes,
                 .handle = handle,
                 .begin = begin},
                DeviceMemory::get().map(pointerTo(address), bytes, handle)
                    ? CUDA_SUCCESS
                    : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes)
{
    const std::uint64_t begin = eventBegin();
    return told({.kind = StandInUnmapped, .address = address, .bytes = bytes, .begin = begin},
                DeviceMemory::get().unmap(pointerTo(address), bytes) ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemSetAccess(CUdeviceptr /*address*/, std::size_t /*bytes*/,
                        const CUmemAccessDesc* /*access*/, std::size_t /*count*/)
{
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address)
{
    const auto block = DeviceMemory::get().blockAt(pointerTo(address));
    if (!block)
        return CUDA_ERROR_INVALID_VALUE;
    *begin = reinterpret_cast<CUdeviceptr>(block->first);
    *bytes = block->second;
    return CUDA_SUCCESS;
}

} // extern "C"
