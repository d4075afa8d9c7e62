// SPDX-License-Identifier: Apache-2.0
// Activity records in the layout of NVIDIA's headers. Older versions have the same fields and fewer
// of them, so that a record is the beginning of the newest one.
#include "tests/stand_in_gpu/cupti_records.h"

#include "tests/stand_in_gpu/cupti_delivery.h"
#include "tests/stand_in_gpu/cupti_settings.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

namespace plimsoll::stand_in {

namespace {

constexpr std::uint32_t kCuda128 = 26;
constexpr std::uint32_t kCuda13 = 130000;
constexpr std::uint32_t kCuda132 = 130200;
constexpr std::uint32_t kLegacyStream = 7;
/// Nanoseconds that work takes, since none is done.
constexpr std::uint64_t kLength = 1000;

template <typename Record>
void add(const Record& record)
{
    Delivery::get().add(&record, recordBytes(static_cast<CUpti_ActivityKind>(record.kind)));
}

std::uint32_t streamId(const void* stream)
{
    if (stream == nullptr)
        return kLegacyStream;
    static std::mutex mutex;
    static auto* const kIds = new std::map<const void*, std::uint32_t>{{nullptr, kLegacyStream}};
    const std::lock_guard lock{mutex};
    const auto next = static_cast<std::uint32_t>(kLegacyStream + kIds->size());
    return kIds->emplace(stream, next).first->second;
}

std::uint32_t contextOf(int device)
{
    return static_cast<std::uint32_t>(device) + 1;
}

std::uint32_t threadId()
{
    return static_cast<std::uint32_t>(gettid());
}

/// A copy that stays: a program's text need not.
const char* keptName(const char* name)
{
    static std::mutex mutex;
    static auto* const kNames = new std::set<std::string>;
    if (name == nullptr)
        return nullptr;
    const std::lock_guard lock{mutex};
    return kNames->emplace(name).first->c_str();
}

Function driverFunctionOf(const StandInGpuEvent& event)
{
    constexpr auto kDriver = CUPTI_CB_DOMAIN_DRIVER_API;
    switch (event.kind) {
    case StandInAllocated:
        return event.pool != 0
                   ? Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, "cuMemAllocAsync"}
                   : Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2"};
    case StandInFreed:
        return event.pool != 0
                   ? Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, "cuMemFreeAsync"}
                   : Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2"};
    case StandInHostAllocated:
        return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, "cuMemHostAlloc"};
    case StandInHostFreed: return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, "cuMemFreeHost"};
    case StandInLaunched:
        return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"};
    case StandInCopied:
        if (event.copiesFromDevice && event.copiesToDevice)
            return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2, "cuMemcpyDtoD_v2"};
        return event.copiesFromDevice
                   ? Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2"}
                   : Function{kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2"};
    case StandInFilled: return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2, "cuMemsetD8_v2"};
    default: return {};
    }
}

/// Adds a record of memory, wrong as the settings ask for.
void addWrong(CUpti_ActivityMemory4 record)
{
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::string& wrong = cuptiSettings().wrong;
    if (wrong == "bytes")
        record.bytes += 512;
    else if (wrong == "time")
        record.timestamp -= record.correlationId * kSecond;
    else if (wrong == "kind")
        record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    else if (wrong == "twice")
        add(record);
    add(record);
}

bool isRelease(int kind)
{
    return kind == StandInFreed || kind == StandInHostFreed;
}

/// The client's clock, and where it and ours were when the client set it.
struct ClientClock
{
    CUpti_TimestampCallbackFunc now = nullptr;
    std::uint64_t atSet = 0;
    std::uint64_t oursAtSet = 0;
};
ClientClock clientClock; ///< set before work is recorded

} // namespace

std::uint64_t nowInNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U
           + static_cast<std::uint64_t>(now.tv_nsec);
}

void setClientClock(CUpti_TimestampCallbackFunc now)
{
    clientClock = {now, now == nullptr ? 0 : now(), nowInNanoseconds()};
}

std::uint64_t stampOf(std::uint64_t nanoseconds)
{
    if (clientClock.now == nullptr)
        return nanoseconds;
    const std::uint64_t ours = nowInNanoseconds();
    const std::uint64_t clients = clientClock.now();
    const double rate =
        static_cast<double>(clients - clientClock.atSet)
        / static_cast<double>(std::max<std::uint64_t>(ours - clientClock.oursAtSet, 1));
    const auto ago = static_cast<std::int64_t>(ours) - static_cast<std::int64_t>(nanoseconds);
    return clients - static_cast<std::uint64_t>(std::llround(static_cast<double>(ago) * rate));
}

std::size_t recordBytes(CUpti_ActivityKind kind)
{
    const std::uint32_t version = cuptiSettings().version;
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return version < kCuda128 ? sizeof(CUpti_ActivityMemory3) : sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return version < kCuda13    ? sizeof(CUpti_ActivityKernel9)
               : version < kCuda132 ? sizeof(CUpti_ActivityKernel10)
                                    : sizeof(CUpti_ActivityKernel11);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return version < kCuda128 ? sizeof(CUpti_ActivityMemcpy5) : sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
        return version < kCuda132 ? sizeof(CUpti_ActivityContext3) : sizeof(CUpti_ActivityContext4);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_DEVICE: return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_MARKER: return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(CUpti_ActivityExternalCorrelation);
    default: return 0;
    }
}

Function functionOf(const StandInGpuEvent& event)
{
    if (event.throughDriver)
        return driverFunctionOf(event);
    constexpr auto kRuntime = CUPTI_CB_DOMAIN_RUNTIME_API;
    constexpr auto kDriver = CUPTI_CB_DOMAIN_DRIVER_API;
    switch (event.kind) {
    case StandInAllocated:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc"};
    case StandInFreed: return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, "cudaFree"};
    case StandInHostAllocated:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, "cudaHostAlloc"};
    case StandInHostFreed:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020, "cudaFreeHost"};
    case StandInRangeReserved:
        return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemAddressReserve, "cuMemAddressReserve"};
    case StandInRangeFreed:
        return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemAddressFree, "cuMemAddressFree"};
    case StandInMemoryCreated: return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemCreate, "cuMemCreate"};
    case StandInMemoryReleased:
        return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemRelease, "cuMemRelease"};
    case StandInMapped: return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemMap, "cuMemMap"};
    case StandInUnmapped: return {kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, "cuMemUnmap"};
    case StandInLaunched:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, "cudaLaunchKernel"};
    case StandInCopied:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, "cudaMemcpyAsync"};
    case StandInFilled:
        return {kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, "cudaMemsetAsync"};
    default: return {};
    }
}

void addMemory(const StandInGpuEvent& event, std::uint32_t correlation)
{
    const bool onHost = event.kind == StandInHostAllocated || event.kind == StandInHostFreed;
    CUpti_ActivityMemory4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    record.memoryOperationType = isRelease(event.kind)
                                     ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                     : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    record.memoryKind =
        onHost ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.correlationId = correlation;
    record.address = event.address;
    record.bytes = event.bytes;
    record.timestamp = stampOf(nowInNanoseconds());
    record.processId = static_cast<std::uint32_t>(getpid());
    record.deviceId = static_cast<std::uint32_t>(event.device);
    record.contextId = contextOf(event.device);
    record.streamId = CUPTI_INVALID_STREAM_ID;
    if (event.pool != 0) {
        record.isAsync = 1;
        record.streamId = streamId(event.stream);
        record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
        record.memoryPoolConfig.address = event.pool;
    }
    addWrong(record);
}

void addKernel(const StandInGpuEvent& event, std::uint32_t correlation)
{
    CUpti_ActivityKernel11 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = stampOf(event.begin);
    record.end = stampOf(event.begin + kLength);
    record.deviceId = static_cast<std::uint32_t>(event.device);
    record.contextId = contextOf(event.device);
    record.streamId = streamId(event.stream);
    record.gridX = static_cast<std::int32_t>(event.grid[0]);
    record.gridY = static_cast<std::int32_t>(event.grid[1]);
    record.gridZ = static_cast<std::int32_t>(event.grid[2]);
    record.blockX = static_cast<std::int32_t>(event.block[0]);
    record.blockY = static_cast<std::int32_t>(event.block[1]);
    record.blockZ = static_cast<std::int32_t>(event.block[2]);
    record.correlationId = correlation;
    record.name = event.name;
    add(record);
}

void addCopy(const StandInGpuEvent& event, std::uint32_t correlation)
{
    const auto place = [](bool onDevice) {
        return static_cast<std::uint8_t>(onDevice ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
                                                  : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
    };
    const CUpti_ActivityMemcpyKind copyKind =
        event.copiesFromDevice ? (event.copiesToDevice ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD
                                                       : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH)
                               : (event.copiesToDevice ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
                                                       : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = static_cast<std::uint8_t>(copyKind);
    record.srcKind = place(event.copiesFromDevice);
    record.dstKind = place(event.copiesToDevice);
    record.bytes = event.bytes;
    record.start = stampOf(event.begin);
    record.end = stampOf(event.begin + kLength);
    record.deviceId = static_cast<std::uint32_t>(event.device);
    record.contextId = contextOf(event.device);
    record.streamId = streamId(event.stream);
    record.correlationId = correlation;
    add(record);
}

void addFill(const StandInGpuEvent& event, std::uint32_t correlation)
{
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    record.bytes = event.bytes;
    record.start = stampOf(event.begin);
    record.end = stampOf(event.begin + kLength);
    record.deviceId = static_cast<std::uint32_t>(event.device);
    record.contextId = contextOf(event.device);
    record.streamId = streamId(event.stream);
    record.correlationId = correlation;
    record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    add(record);
}

void addCall(const StandInGpuEvent& event, std::uint32_t correlation)
{
    const Function function = functionOf(event);
    CUpti_ActivityAPI record{};
    record.kind = function.domain == CUPTI_CB_DOMAIN_DRIVER_API ? CUPTI_ACTIVITY_KIND_DRIVER
                                                                : CUPTI_ACTIVITY_KIND_RUNTIME;
    record.cbid = function.id;
    record.start = stampOf(event.begin);
    record.end = stampOf(nowInNanoseconds());
    record.processId = static_cast<std::uint32_t>(getpid());
    record.threadId = threadId();
    record.correlationId = correlation;
    record.returnValue = static_cast<std::uint32_t>(event.status);
    add(record);
}

void addMarker(const MarkerEvent& event)
{
    if (!isOn(CUPTI_ACTIVITY_KIND_MARKER))
        return;
    CUpti_ActivityMarker2 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MARKER;
    record.flags = event.flags;
    record.timestamp = stampOf(nowInNanoseconds());
    record.id = event.id;
    record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    record.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
    record.objectId.pt.threadId = threadId();
    record.name = keptName(event.name);
    add(record);
}

void addContext(int device)
{
    CUpti_ActivityContext4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    record.contextId = contextOf(device);
    record.deviceId = static_cast<std::uint32_t>(device);
    record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
    record.nullStreamId = kLegacyStream;
    add(record);
}

void addDevice(int device)
{
    CUpti_ActivityDevice5 record{};
    record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    record.globalMemorySize = std::uint64_t{80} << 30U;
    record.computeCapabilityMajor = 8;
    record.id = static_cast<std::uint32_t>(device);
    record.name = "stand-in GPU";
    add(record);
}

void addExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t id, std::uint32_t correlation)
{
    CUpti_ActivityExternalCorrelation record{};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = kind;
    record.externalId = id;
    record.correlationId = correlation;
    add(record);
}

} // namespace plimsoll::stand_in
