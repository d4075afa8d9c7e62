// SPDX-License-Identifier: Apache-2.0
#include "app/inject/mappings.h"

#include <optional>
#include <unistd.h>
#include <utility>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;
using Operation = wire::MappingOperation;

/// More than any program maps between two flushes; it bounds memory while the disk is slow.
constexpr std::size_t kMostNoted = std::size_t{1} << 18U;

template <typename Arguments>
const Arguments& argumentsOf(const CUpti_CallbackData& data)
{
    return *static_cast<const Arguments*>(data.functionParams);
}

std::uint32_t deviceOf(const CUmemAllocationProp* property)
{
    return property != nullptr && property->location.type == CU_MEM_LOCATION_TYPE_DEVICE
               ? static_cast<std::uint32_t>(property->location.id)
               : wire::kNone;
}

std::optional<wire::Mapping> mappingOf(CUpti_CallbackId function, const CUpti_CallbackData& data)
{
    wire::Mapping mapping;
    const auto range = [&mapping](Operation operation, std::uint64_t address, std::uint64_t bytes) {
        mapping.operation = operation;
        mapping.address = address;
        mapping.bytes = bytes;
    };
    switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAddressReserve: {
        const auto& arguments = argumentsOf<cuMemAddressReserve_params>(data);
        range(Operation::Reserve, *arguments.ptr, arguments.size);
        break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAddressFree: {
        const auto& arguments = argumentsOf<cuMemAddressFree_params>(data);
        range(Operation::Free, arguments.ptr, arguments.size);
        break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemCreate: {
        const auto& arguments = argumentsOf<cuMemCreate_params>(data);
        range(Operation::Create, 0, arguments.size);
        mapping.handle = *arguments.handle;
        mapping.device = deviceOf(arguments.prop);
        break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemRelease:
        range(Operation::Release, 0, 0);
        mapping.handle = argumentsOf<cuMemRelease_params>(data).handle;
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemMap: {
        const auto& arguments = argumentsOf<cuMemMap_params>(data);
        range(Operation::Map, arguments.ptr, arguments.size);
        mapping.handle = arguments.handle;
        mapping.offset = arguments.offset;
        break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap: {
        const auto& arguments = argumentsOf<cuMemUnmap_params>(data);
        range(Operation::Unmap, arguments.ptr, arguments.size);
        break;
    }
    default: return std::nullopt;
    }
    return mapping;
}

} // namespace

const std::vector<CUpti_CallbackId>& mappingFunctions()
{
    static const auto* const kFunctions =
        new std::vector<CUpti_CallbackId>{CUPTI_DRIVER_TRACE_CBID_cuMemAddressReserve,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemAddressFree,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemCreate,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemRelease,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemMap,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemUnmap};
    return *kFunctions;
}

void Mappings::note(CUpti_CallbackId function, const CUpti_CallbackData& data, std::uint64_t time)
{
    std::optional<wire::Mapping> mapping = mappingOf(function, data);
    if (!mapping)
        return;
    mapping->time = time;
    mapping->correlation = data.correlationId;
    mapping->thread = static_cast<std::uint32_t>(::gettid());
    const std::lock_guard lock{m_mutex};
    if (m_noted.size() >= kMostNoted)
        ++m_dropped;
    else
        m_noted.push_back(*mapping);
}

std::vector<wire::Mapping> Mappings::take()
{
    const std::lock_guard lock{m_mutex};
    return std::exchange(m_noted, {});
}

std::uint64_t Mappings::dropped()
{
    const std::lock_guard lock{m_mutex};
    return m_dropped;
}

} // namespace plimsoll::inject
