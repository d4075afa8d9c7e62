// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: devices, their properties, errors.
#include "tests/stand_in_gpu/device_memory.h"
#include "tests/stand_in_gpu/injection.h"
#include "tests/stand_in_gpu/listener.h"
#include "tests/stand_in_gpu/settings.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <utility>

namespace plimsoll::stand_in {

namespace {

constexpr int kVersion = CUDART_VERSION;
constexpr int kSharedPerBlock = 48 << 10;
constexpr int kSharedPerProcessor = 164 << 10;

std::array<std::atomic<bool>, 16> contexts;

/// Attributes that are not 0 on an A100-like device and do not depend on the settings.
int attributeOf(cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return kSharedPerBlock;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return kSharedPerProcessor - 1024;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return kSharedPerProcessor;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrL2CacheSize: return 40 << 20;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess: return 1;
    case cudaDevAttrClockRate: return 1410000;
    case cudaDevAttrMemoryClockRate: return 1215000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrMultiProcessorCount: return settings().processors;
    case cudaDevAttrComputeCapabilityMajor: return settings().major;
    case cudaDevAttrComputeCapabilityMinor: return settings().minor;
    default: return 0;
    }
}

std::string busId(int device)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0000:%02X:00.0", device + 1);
    return text.data();
}

} // namespace

ThreadState& threadState()
{
    thread_local ThreadState state;
    return state;
}

cudaError_t noted(cudaError_t error)
{
    if (error != cudaSuccess)
        threadState().error = error;
    return error;
}

bool isDevice(int device)
{
    return device >= 0 && device < settings().devices;
}

void makeContext(int device)
{
    std::atomic<bool>& context = contexts.at(static_cast<std::size_t>(device));
    if (!context.load(std::memory_order_relaxed) && !context.exchange(true))
        tell({.kind = StandInContextMade, .device = device});
}

bool hasContext(int device)
{
    return contexts.at(static_cast<std::size_t>(device));
}

} // namespace plimsoll::stand_in

using namespace plimsoll::stand_in;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count)
{
    loadInjection();
    *count = settings().devices;
    return noted(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int* device)
{
    *device = threadState().device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (!isDevice(device))
        return noted(cudaErrorInvalidDevice);
    threadState().device = device;
    makeContext(device);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    if (!isDevice(device))
        return noted(cudaErrorInvalidDevice);
    *properties = {};
    const std::string name = "stand-in GPU, compute capability " + std::to_string(settings().major)
                             + "." + std::to_string(settings().minor);
    name.copy(properties->name, sizeof(properties->name) - 1);
    properties->uuid.bytes[0] = static_cast<char>(device + 1);
    properties->totalGlobalMem = settings().memory;
    properties->major = settings().major;
    properties->minor = settings().minor;
    properties->multiProcessorCount = settings().processors;
    properties->sharedMemPerBlock = kSharedPerBlock;
    properties->sharedMemPerBlockOptin = kSharedPerProcessor - 1024;
    properties->sharedMemPerMultiprocessor = kSharedPerProcessor;
    properties->regsPerBlock = 65536;
    properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 2147483647;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->textureAlignment = 512;
    properties->l2CacheSize = 40 << 20;
    properties->memoryBusWidth = 5120;
    properties->concurrentKernels = 1;
    properties->asyncEngineCount = 3;
    properties->unifiedAddressing = 1;
    properties->managedMemory = 1;
    properties->pciBusID = device + 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    if (!isDevice(device))
        return noted(cudaErrorInvalidDevice);
    *value = attribute == cudaDevAttrPciBusId ? device + 1 : attributeOf(attribute);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device)
{
    const std::string id = busId(device);
    if (!isDevice(device) || length <= static_cast<int>(id.size()))
        return noted(cudaErrorInvalidValue);
    text[id.copy(text, id.size())] = '\0';
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version)
{
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/)
{
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned int /*flags*/)
{
    return noted(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaGetLastError()
{
    return std::exchange(threadState().error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError()
{
    return threadState().error;
}

const char* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    default: return "error of the stand-in GPU";
    }
}

const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorNotSupported: return "not implemented in the stand-in GPU";
    default: return cudaGetErrorName(error);
    }
}

} // extern "C"
