// SPDX-License-Identifier: Apache-2.0
// A CUPTI for the stand-in GPU: the functions that an injected library calls. It hears of the GPU's
// work through standInGpuListen() and is 'without a driver' where that is missing.
#include "tests/stand_in_gpu/cupti_delivery.h"
#include "tests/stand_in_gpu/cupti_records.h"
#include "tests/stand_in_gpu/cupti_settings.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <utility>
#include <vector>

using namespace plimsoll::stand_in;

/// What the opaque handle of a client points to.
struct CUpti_Subscriber_st
{
    CUpti_CallbackFunc callback = nullptr;
    void* data = nullptr;
};

namespace {

constexpr std::size_t kMostFunctions = 1024;

/// What the client has switched on. Switches are flipped while other threads work.
struct Switches
{
    std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds{};
    std::array<std::array<std::atomic<bool>, kMostFunctions>, CUPTI_CB_DOMAIN_SIZE> calls{};
    std::array<std::array<std::atomic<bool>, kMostFunctions>, CUPTI_CB_DOMAIN_SIZE> callbacks{};
};

Switches switches;
CUpti_Subscriber_st subscriber;
std::atomic<bool> subscribed{false};
std::atomic<std::uint32_t> lastCorrelation{0};
thread_local std::vector<std::pair<CUpti_ExternalCorrelationKind, std::uint64_t>> externalIds;

bool hasDriver()
{
    return !cuptiSettings().noDriver && dlsym(RTLD_DEFAULT, "standInGpuListen") != nullptr;
}

/// The arguments of a driver call as CUPTI hands them to a client.
union Arguments {
    cuMemAddressReserve_params reserve;
    cuMemAddressFree_params freeRange;
    cuMemCreate_params create;
    cuMemRelease_params release;
    cuMemMap_params map;
    cuMemUnmap_params unmap;
};

struct DriverCall
{
    CUdeviceptr address = 0;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp property{};
    Arguments arguments{};
};

void fillArguments(DriverCall& call, const StandInGpuEvent& event)
{
    call.address = event.address;
    call.handle = event.handle;
    call.property.location = {CU_MEM_LOCATION_TYPE_DEVICE, {event.device}};
    Arguments& to = call.arguments;
    switch (event.kind) {
    case StandInRangeReserved: to.reserve = {&call.address, event.bytes, 0, 0, 0}; break;
    case StandInRangeFreed: to.freeRange = {event.address, event.bytes}; break;
    case StandInMemoryCreated: to.create = {&call.handle, event.bytes, &call.property, 0}; break;
    case StandInMemoryReleased: to.release = {event.handle}; break;
    case StandInMapped: to.map = {event.address, event.bytes, 0, event.handle, 0}; break;
    case StandInUnmapped: to.unmap = {event.address, event.bytes}; break;
    default: break;
    }
}

void callBack(const StandInGpuEvent& event, const Function& function, std::uint32_t correlation)
{
    if (!subscribed || !switches.callbacks.at(function.domain).at(function.id))
        return;
    DriverCall call;
    fillArguments(call, event);
    auto status = static_cast<CUresult>(event.status);
    CUpti_CallbackData data{};
    data.functionName = function.name;
    data.functionParams = &call.arguments;
    data.functionReturnValue = &status;
    data.correlationId = correlation;
    for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
        data.callbackSite = site;
        subscriber.callback(subscriber.data, function.domain, function.id, &data);
    }
}

void addApiRecords(const StandInGpuEvent& event, const Function& function,
                   std::uint32_t correlation)
{
    const CUpti_ActivityKind kind = function.domain == CUPTI_CB_DOMAIN_DRIVER_API
                                        ? CUPTI_ACTIVITY_KIND_DRIVER
                                        : CUPTI_ACTIVITY_KIND_RUNTIME;
    if (!isOn(kind) && !switches.calls.at(function.domain).at(function.id))
        return;
    if (isOn(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) && !externalIds.empty())
        addExternalId(externalIds.back().first, externalIds.back().second, correlation);
    addCall(event, correlation);
}

void addWork(const StandInGpuEvent& event, std::uint32_t correlation)
{
    switch (event.kind) {
    case StandInAllocated:
    case StandInFreed:
    case StandInHostAllocated:
    case StandInHostFreed:
        if (isOn(CUPTI_ACTIVITY_KIND_MEMORY2) && event.status == 0 && event.bytes > 0)
            addMemory(event, correlation);
        break;
    case StandInLaunched:
        if (isOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
            addKernel(event, correlation);
        break;
    case StandInCopied:
        if (isOn(CUPTI_ACTIVITY_KIND_MEMCPY))
            addCopy(event, correlation);
        break;
    case StandInFilled:
        if (isOn(CUPTI_ACTIVITY_KIND_MEMSET))
            addFill(event, correlation);
        break;
    default: break;
    }
}

void onEvent(const StandInGpuEvent* event)
{
    if (event->kind == StandInContextMade) {
        if (isOn(CUPTI_ACTIVITY_KIND_DEVICE))
            addDevice(event->device);
        if (isOn(CUPTI_ACTIVITY_KIND_CONTEXT))
            addContext(event->device);
        return;
    }
    const std::uint32_t correlation = ++lastCorrelation;
    const Function function = functionOf(*event);
    callBack(*event, function, correlation);
    addApiRecords(*event, function, correlation);
    addWork(*event, correlation);
}

CUptiResult listen()
{
    const auto start =
        reinterpret_cast<decltype(&standInGpuListen)>(dlsym(RTLD_DEFAULT, "standInGpuListen"));
    start(&onEvent);
    return CUPTI_SUCCESS;
}

} // namespace

bool plimsoll::stand_in::isOn(CUpti_ActivityKind kind)
{
    return switches.kinds.at(kind).load(std::memory_order_relaxed);
}

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version)
{
    *version = cuptiSettings().version;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp)
{
    *timestamp = stampOf(nowInNanoseconds());
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text)
{
    *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS"
            : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data)
{
    if (!hasDriver())
        return CUPTI_ERROR_UNKNOWN;
    if (!cuptiSettings().subscriber.empty() || subscribed)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    subscriber = {callback, data};
    subscribed = true;
    *handle = &subscriber;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                              void* data, CUpti_SubscriberParams* params)
{
    // 13.0, and whatever came before, refuses the struct that later headers have.
    constexpr std::size_t kFirstBytes =
        offsetof(CUpti_SubscriberParams, oldSubscriberSize) + sizeof(std::size_t);
    constexpr std::uint32_t kLongerStruct = 130200;
    if (params->structSize != kFirstBytes && cuptiSettings().version < kLongerStruct)
        return CUPTI_ERROR_INVALID_PARAMETER;
    const CUptiResult result = cuptiSubscribe(handle, callback, data);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
        && params->oldSubscriberName != nullptr) {
        const std::string& name = cuptiSettings().subscriber;
        const std::size_t length = std::min(name.size(), params->oldSubscriberSize - 1);
        std::memcpy(params->oldSubscriberName, name.data(), length);
        params->oldSubscriberName[length] = '\0';
    }
    return result;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle /*handle*/)
{
    subscribed = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle /*handle*/,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if (!subscribed || domain >= CUPTI_CB_DOMAIN_SIZE || id >= kMostFunctions)
        return CUPTI_ERROR_INVALID_PARAMETER;
    switches.callbacks.at(domain).at(id) = enable != 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(std::uint32_t enable, CUpti_SubscriberHandle /*handle*/,
                              CUpti_CallbackDomain domain)
{
    if (!subscribed || domain >= CUPTI_CB_DOMAIN_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (std::atomic<bool>& function : switches.callbacks.at(domain))
        function = enable != 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name)
{
    for (int kind = StandInContextMade; kind <= StandInFilled; ++kind)
        for (const bool throughDriver : {false, true}) {
            StandInGpuEvent event{};
            event.kind = static_cast<StandInGpuEventKind>(kind);
            event.throughDriver = throughDriver;
            const Function function = functionOf(event);
            if (function.domain == domain && function.id == id && function.name != nullptr) {
                *name = function.name;
                return CUPTI_SUCCESS;
            }
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiFinalize()
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now)
{
    setClientClock(now);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(std::uint8_t /*enable*/)
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType /*type*/)
{
    return hasDriver() ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* bytes,
                                      void* value)
{
    if (*bytes != sizeof(std::uint8_t))
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    const bool on = *static_cast<std::uint8_t*>(value) != 0;
    if (attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER)
        Delivery::get().setPerThread(on);
    else if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
        Delivery::get().setZeroed(on);
    else
        return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    Delivery::get().setCallbacks(request, complete);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (!hasDriver())
        return CUPTI_ERROR_UNKNOWN;
    if (kind >= CUPTI_ACTIVITY_KIND_COUNT)
        return CUPTI_ERROR_INVALID_KIND;
    switches.kinds.at(kind) = true;
    return listen();
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    switches.kinds.at(kind) = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, std::uint8_t enable)
{
    switches.calls.at(CUPTI_CB_DOMAIN_RUNTIME_API).at(id) = enable != 0;
    return hasDriver() ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, std::uint8_t enable)
{
    switches.calls.at(CUPTI_CB_DOMAIN_DRIVER_API).at(id) = enable != 0;
    return hasDriver() ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag)
{
    if (!hasDriver())
        return CUPTI_ERROR_UNKNOWN;
    Delivery::get().flush(flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t validBytes,
                                       CUpti_Activity** record)
{
    std::uint8_t* at = buffer;
    if (*record != nullptr) {
        at = reinterpret_cast<std::uint8_t*>(*record);
        at += recordBytes((*record)->kind);
    }
    const auto left = static_cast<std::size_t>(buffer + validBytes - at);
    if (left == 0)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    auto* const next = reinterpret_cast<CUpti_Activity*>(at);
    const std::size_t bytes = left < sizeof(CUpti_Activity) ? 0 : recordBytes(next->kind);
    if (bytes == 0 || bytes > left)
        return CUPTI_ERROR_INVALID_KIND;
    *record = next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/, std::uint32_t /*stream*/,
                                              std::size_t* dropped)
{
    *dropped = Delivery::get().takeDropped();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   std::uint64_t id)
{
    externalIds.emplace_back(kind, id);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind /*kind*/,
                                                  std::uint64_t* last)
{
    if (externalIds.empty())
        return CUPTI_ERROR_QUEUE_EMPTY;
    if (last != nullptr)
        *last = externalIds.back().second;
    externalIds.pop_back();
    return CUPTI_SUCCESS;
}

} // extern "C"
