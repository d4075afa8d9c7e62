// SPDX-License-Identifier: Apache-2.0
// What NVTX loads CUPTI for: its functions are replaced by ours, which make marker records.
#include "tests/stand_in_gpu/cupti_records.h"

#include <atomic>
#include <nvtx3/nvToolsExt.h>
#include <vector>

using namespace plimsoll::stand_in;

namespace {

std::atomic<std::uint32_t> lastId{0};

/// The ranges that a thread is in.
thread_local std::vector<std::uint32_t> pushed;

void mark(const char* name)
{
    addMarker({.name = name, .id = ++lastId, .flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS});
}

int push(const char* name)
{
    pushed.push_back(++lastId);
    addMarker({.name = name, .id = pushed.back(), .flags = CUPTI_ACTIVITY_FLAG_MARKER_START});
    return static_cast<int>(pushed.size()) - 1;
}

int pop()
{
    if (pushed.empty())
        return -1;
    addMarker({.id = pushed.back(), .flags = CUPTI_ACTIVITY_FLAG_MARKER_END});
    pushed.pop_back();
    return static_cast<int>(pushed.size());
}

nvtxRangeId_t start(const char* name)
{
    const std::uint32_t id = ++lastId;
    addMarker({.name = name, .id = id, .flags = CUPTI_ACTIVITY_FLAG_MARKER_START});
    return id;
}

void end(nvtxRangeId_t id)
{
    addMarker({.id = static_cast<std::uint32_t>(id), .flags = CUPTI_ACTIVITY_FLAG_MARKER_END});
}

} // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t exportTable)
{
    const auto* const callbacks =
        static_cast<const NvtxExportTableCallbacks*>(exportTable(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned int size = 0;
    if (callbacks == nullptr
        || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0
        || size <= NVTX_CBID_CORE_RangePop)
        return 0;
    *table[NVTX_CBID_CORE_MarkA] = reinterpret_cast<NvtxFunctionPointer>(&mark);
    *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&push);
    *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
    *table[NVTX_CBID_CORE_RangeStartA] = reinterpret_cast<NvtxFunctionPointer>(&start);
    *table[NVTX_CBID_CORE_RangeEnd] = reinterpret_cast<NvtxFunctionPointer>(&end);
    return 1;
}
