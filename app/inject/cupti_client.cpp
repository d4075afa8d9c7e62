// SPDX-License-Identifier: Apache-2.0
#include "app/inject/cupti_client.h"

#include "app/inject/mappings.h"

#include <array>
#include <cstddef>
#include <utility>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;
using wire::Severity;
using wire::StatusCode;

std::string codeOf(CUptiResult result)
{
    return std::to_string(static_cast<int>(result));
}

Fault refused(const char* what, CUptiResult result)
{
    return {StatusCode::Refused, Severity::Warning, result,
            std::string{"CUPTI doesn't record "} + what + " here (its error " + codeOf(result)
                + "), so they are missing in the recording."};
}

/// CUPTI 13.0 refuses the larger struct of later headers.
constexpr std::size_t kSubscriberBytes =
    offsetof(CUpti_SubscriberParams, oldSubscriberSize) + sizeof(std::size_t);

struct KindName
{
    CUpti_ActivityKind kind;
    const char* name;
};

/// The first one is what the recording is about.
constexpr std::array kKinds{
    KindName{CUPTI_ACTIVITY_KIND_MEMORY2, "allocations"},
    KindName{CUPTI_ACTIVITY_KIND_MEMORY_POOL, "memory pools"},
    KindName{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
    KindName{CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
    KindName{CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices"},
    KindName{CUPTI_ACTIVITY_KIND_MEMSET, "fills"},
    KindName{CUPTI_ACTIVITY_KIND_MARKER, "NVTX markers"},
    KindName{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "ids of other tools"},
    KindName{CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
    KindName{CUPTI_ACTIVITY_KIND_DEVICE, "devices"},
};

/// The calls that tell which thread allocated; of others there would be too many.
constexpr auto kRuntimeCalls = std::to_array<CUpti_CallbackId>({
    CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_ptsz_v11020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_ptsz_v11020,
});
constexpr auto kDriverCalls = std::to_array<CUpti_CallbackId>({
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemCreate,
    CUPTI_DRIVER_TRACE_CBID_cuMemMap,
    CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
});

} // namespace

bool CuptiClient::start(const std::string& named, const CuptiCallbacks& callbacks, Faults& faults)
{
    Fault fault;
    const bool loaded = loadCupti(named, m_table, fault);
    if (!fault.text.empty())
        faults.note(std::move(fault));
    if (!loaded || !subscribe(callbacks.call, faults))
        return false;
    setAttributes();
    if (const CUptiResult result =
            m_table.ActivityRegisterCallbacks(callbacks.request, callbacks.complete);
        result != CUPTI_SUCCESS) {
        faults.note(noDriver(result));
        return false;
    }
    m_isRecording = enableKinds(faults);
    if (m_isRecording)
        enableCallbacks(faults);
    return m_isRecording;
}

bool CuptiClient::subscribe(CUpti_CallbackFunc call, Faults& faults)
{
    std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1> holder{};
    CUptiResult result = CUPTI_SUCCESS;
    if (m_table.Subscribe_v2 != nullptr) {
        CUpti_SubscriberParams params{};
        params.structSize = kSubscriberBytes;
        params.subscriberName = "Plimsoll";
        params.oldSubscriberName = holder.data();
        params.oldSubscriberSize = holder.size() - 1;
        result = m_table.Subscribe_v2(&m_subscriber, call, nullptr, &params);
    } else {
        result = m_table.Subscribe(&m_subscriber, call, nullptr);
    }
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        const std::string name =
            holder.front() != '\0' ? std::string{" ("} + holder.data() + ")" : "";
        faults.note(
            {StatusCode::OtherTool, Severity::Failure, result,
             "Another profiler" + name
                 + " is attached to this program and CUPTI serves one at a time, so nothing was "
                   "recorded: run without it, or import the other one's trace."});
    } else if (result != CUPTI_SUCCESS) {
        faults.note(noDriver(result));
    }
    return result == CUPTI_SUCCESS;
}

void CuptiClient::setAttributes() const
{
    if (m_table.SetThreadIdType != nullptr)
        (void)m_table.SetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (m_table.ActivitySetAttribute == nullptr)
        return;
    // One buffer for all threads keeps records in order and memory bounded; we zero buffers on our
    // own thread, so that CUPTI need not in the program's. A version without them does its default.
    const auto set = [this](CUpti_ActivityAttribute attribute, std::uint8_t value) {
        std::size_t bytes = sizeof(value);
        (void)m_table.ActivitySetAttribute(attribute, &bytes, &value);
    };
    set(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
    set(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
}

bool CuptiClient::enableKinds(Faults& faults) const
{
    for (const auto& [kind, name] : kKinds) {
        const CUptiResult result = m_table.ActivityEnable(kind);
        if (result == CUPTI_SUCCESS)
            continue;
        if (kind == kKinds[0].kind) {
            faults.note(noDriver(result));
            return false;
        }
        faults.note(refused(name, result));
    }
    if (m_table.ActivityEnableRuntimeApi != nullptr)
        for (const CUpti_CallbackId call : kRuntimeCalls)
            (void)m_table.ActivityEnableRuntimeApi(call, 1);
    if (m_table.ActivityEnableDriverApi != nullptr)
        for (const CUpti_CallbackId call : kDriverCalls)
            (void)m_table.ActivityEnableDriverApi(call, 1);
    return true;
}

void CuptiClient::enableCallbacks(Faults& faults) const
{
    CUptiResult result = CUPTI_SUCCESS;
    for (const CUpti_CallbackId function : mappingFunctions())
        if (result == CUPTI_SUCCESS)
            result = m_table.EnableCallback(1, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, function);
    if (result != CUPTI_SUCCESS)
        faults.note(refused("mappings of memory", result));
    for (const CUpti_CallbackId state : {CUPTI_CBID_STATE_FATAL_ERROR, CUPTI_CBID_STATE_ERROR})
        (void)m_table.EnableCallback(1, m_subscriber, CUPTI_CB_DOMAIN_STATE, state);
}

void CuptiClient::stop() const
{
    for (const auto& [kind, name] : kKinds)
        (void)m_table.ActivityDisable(kind);
    for (const CUpti_CallbackId function : mappingFunctions())
        (void)m_table.EnableCallback(0, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, function);
}

} // namespace plimsoll::inject
