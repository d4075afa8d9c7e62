// SPDX-License-Identifier: Apache-2.0
// NVML, as far as PyTorch asks it: the wheels have no header of it, so the few types stand here.
#include "tests/stand_in_gpu/settings.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kCudaVersion = 13020;

/// Devices are told apart by their number only; 0 would be null.
using Device = std::size_t;

} // namespace

extern "C" {

int nvmlInit_v2()
{
    return kSuccess;
}

int nvmlShutdown()
{
    return kSuccess;
}

const char* nvmlErrorString(int error)
{
    return error == kSuccess ? "success" : "error of the stand-in GPU";
}

int nvmlSystemGetCudaDriverVersion_v2(int* version)
{
    *version = kCudaVersion;
    return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned int* count)
{
    *count = static_cast<unsigned int>(plimsoll::stand_in::settings().devices);
    return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Device* device)
{
    *device = index + 1;
    return index < static_cast<unsigned int>(plimsoll::stand_in::settings().devices)
               ? kSuccess
               : kInvalidArgument;
}

/// "0000:01:00.0", as cudaDeviceGetPCIBusId() gives it.
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device* device)
{
    const std::string_view text{id};
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return kInvalidArgument;
    *device = std::strtoul(id + colon + 1, nullptr, 16);
    return kSuccess;
}

int nvmlDeviceGetUUID(Device device, char* text, unsigned int length)
{
    std::snprintf(text, length, "GPU-00000000-0000-0000-0000-%012zx", device);
    return kSuccess;
}

/// No process but the one that asks.
int nvmlDeviceGetComputeRunningProcesses(Device /*device*/, unsigned int* count, void* /*infos*/)
{
    *count = 0;
    return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device /*device*/, unsigned int* count, void* /*infos*/)
{
    *count = 0;
    return kSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(Device /*device*/, unsigned int /*link*/, int* /*type*/)
{
    return kNotSupported;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device /*device*/, unsigned int /*link*/, void* /*info*/)
{
    return kNotSupported;
}

int nvmlDeviceGetGpuFabricInfoV(Device /*device*/, void* /*info*/)
{
    return kNotSupported;
}

int nvmlDeviceGetP2PStatus(Device /*first*/, Device /*second*/, int /*index*/, int* status)
{
    *status = 1; // the chipset does not support it
    return kSuccess;
}

} // extern "C"
