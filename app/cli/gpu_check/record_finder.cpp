// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/record_finder.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::cli {

namespace {

namespace wire = capture::wire;

template <typename Entries, typename Record, typename Time>
void fillInTime(Entries& entries, const std::vector<Record>& records, Time time)
{
    for (const Record& record : records)
        entries.push_back({&record, false});
    std::ranges::stable_sort(entries, {}, [&](const auto& entry) { return entry.record->*time; });
}

/// Takes the first that fits; null: none does.
template <typename Entries, typename Fits>
auto takeFirst(Entries& entries, Fits fits) -> decltype(entries.front().record)
{
    const auto entry = std::ranges::find_if(
        entries, [&](const auto& one) { return !one.isTaken && fits(*one.record); });
    if (entry == entries.end())
        return nullptr;
    entry->isTaken = true;
    return entry->record;
}

template <typename Record>
Found foundWork(const Record* record)
{
    if (record == nullptr)
        return {};
    Found found{.isThere = true, .begin = record->start, .end = record->end, .difference = {}};
    if (record->start == 0)
        found.difference = "a record has no time";
    else if (record->end < record->start)
        found.difference = "a record ends before it starts";
    return found;
}

template <typename Entries>
std::size_t leftOf(const Entries& entries, std::uint32_t device)
{
    return static_cast<std::size_t>(std::ranges::count_if(entries, [&](const auto& entry) {
        return !entry.isTaken && entry.record->device == device;
    }));
}

wire::MappingOperation operationOf(CallKind action)
{
    switch (action) {
    case CallKind::Reserve: return wire::MappingOperation::Reserve;
    case CallKind::FreeRange: return wire::MappingOperation::Free;
    case CallKind::Create: return wire::MappingOperation::Create;
    case CallKind::Release: return wire::MappingOperation::Release;
    case CallKind::Map: return wire::MappingOperation::Map;
    default: return wire::MappingOperation::Unmap;
    }
}

} // namespace

RecordFinder::RecordFinder(const capture::Capture& capture) : m_capture{capture}
{
    fillInTime(m_memory, capture.memory, &wire::Memory::time);
    fillInTime(m_mappings, capture.mappings, &wire::Mapping::time);
    fillInTime(m_copies, capture.copies, &wire::Copy::start);
    fillInTime(m_fills, capture.fills, &wire::Fill::start);
    fillInTime(m_kernels, capture.kernels, &wire::Kernel::start);
}

Found RecordFinder::find(const Step& step, std::uint32_t device)
{
    switch (step.action) {
    case CallKind::Allocate:
    case CallKind::Free: return findMemory(step, device);
    case CallKind::Copy:
        return foundWork(takeFirst(m_copies, [&](const wire::Copy& copy) {
            return copy.device == device && copy.bytes == step.bytes
                   && copy.copyKind == step.handle;
        }));
    case CallKind::Fill:
        return foundWork(takeFirst(m_fills, [&](const wire::Fill& fill) {
            return fill.device == device && fill.bytes == step.bytes;
        }));
    case CallKind::Launch:
        return foundWork(takeFirst(m_kernels, [&](const wire::Kernel& kernel) {
            return kernel.device == device && kernel.grid[0] == static_cast<int>(step.bytes)
                   && m_capture.text(kernel.name).find("plimsoll_gpu_check")
                          != std::string_view::npos;
        }));
    default: return findMapping(step, device);
    }
}

Found RecordFinder::findMemory(const Step& step, std::uint32_t device)
{
    const bool isFree = step.action == CallKind::Free;
    const auto operation =
        isFree ? wire::MemoryOperation::Release : wire::MemoryOperation::Allocate;
    const auto kind =
        step.check == check::kPinned ? wire::MemoryKind::Pinned : wire::MemoryKind::Device;
    const wire::Memory* const record = takeFirst(m_memory, [&](const wire::Memory& memory) {
        return memory.address == step.address && memory.operation == operation;
    });
    if (record == nullptr)
        return {};
    Found found{.isThere = true, .begin = record->time, .end = record->time, .difference = {}};
    // CUPTI need not know how much is freed: the allocation tells.
    if (record->bytes != step.bytes && !(isFree && record->bytes == 0))
        found.difference = fmt::format("{} bytes are recorded for {}", record->bytes, step.bytes);
    else if (record->kind != kind)
        found.difference = fmt::format("memory of kind {} is recorded, not of {}",
                                       static_cast<int>(record->kind), static_cast<int>(kind));
    else if (record->device != device)
        found.difference = fmt::format("it is recorded for GPU {}", record->device);
    else if (step.check == check::kPool && (record->isAsync == 0 || record->pool == 0))
        found.difference = "it is not recorded as memory of a pool";
    return found;
}

Found RecordFinder::findMapping(const Step& step, std::uint32_t device)
{
    const wire::MappingOperation operation = operationOf(step.action);
    const wire::Mapping* const record = takeFirst(m_mappings, [&](const wire::Mapping& mapping) {
        return mapping.operation == operation && mapping.address == step.address
               && mapping.handle == step.handle;
    });
    if (record == nullptr)
        return {};
    Found found{.isThere = true, .begin = record->time, .end = record->time, .difference = {}};
    if (record->bytes != step.bytes)
        found.difference = fmt::format("{} bytes are recorded for {}", record->bytes, step.bytes);
    else if (step.action == CallKind::Create && record->device != device)
        found.difference = fmt::format("it is recorded for GPU {}", record->device);
    return found;
}

std::vector<std::string> RecordFinder::leftOver(std::uint32_t device) const
{
    std::vector<std::string> sentences;
    const auto add = [&](std::size_t count, const char* what, const char* many) {
        if (count > 0)
            sentences.push_back(base::counted(count, what, many));
    };
    for (const auto& entry : m_memory)
        if (!entry.isTaken && entry.record->device == device)
            sentences.push_back(fmt::format(
                "{} {} bytes of kind {} at 0x{:x}",
                entry.record->operation == wire::MemoryOperation::Allocate ? "an allocation of"
                                                                           : "a free of",
                entry.record->bytes, static_cast<int>(entry.record->kind), entry.record->address));
    for (const auto& entry : m_mappings)
        if (!entry.isTaken && entry.record->operation == wire::MappingOperation::Create
            && entry.record->device == device)
            sentences.push_back(fmt::format("physical memory of {} bytes", entry.record->bytes));
    add(leftOf(m_copies, device), "copy", "copies");
    add(leftOf(m_fills, device), "fill", "fills");
    add(leftOf(m_kernels, device), "kernel", "kernels");
    return sentences;
}

std::size_t RecordFinder::leftOverMappings() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_mappings, [](const auto& entry) {
        return !entry.isTaken && entry.record->operation != wire::MappingOperation::Create;
    }));
}

} // namespace plimsoll::cli
