// SPDX-License-Identifier: Apache-2.0
#include "core/readers/csv/build_trace.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace plimsoll::readers::csv {

namespace {

using base::Result;
using memtrace::Action;

constexpr std::int64_t kEmpty = AllocationRow::kEmpty;

/// An allocation or a free. Of those at one time, frees of what was there come first, and those of
/// what was allocated then come last.
struct Step
{
    std::int64_t when = 0;
    std::uint32_t row = 0;
    enum class Kind : std::uint8_t { Free, Alloc, FreeAtOnce } kind = Kind::Alloc;
};

tl::unexpected<base::Error> wrongLine(const AllocationRow& row, std::string_view fault)
{
    return base::failure(base::ErrorKind::File, fmt::format("line {}: {}", row.line, fault));
}

/// Whether numbers of events tell the order.
Result<bool> isOrderedByEvents(const std::vector<AllocationRow>& rows)
{
    const AllocationRow* withoutEvent = nullptr;
    const AllocationRow* withoutTime = nullptr;
    for (const AllocationRow& row : rows) {
        if ((row.isAllocated() && row.allocEvent == kEmpty)
            || (row.isFreed() && row.freeEvent == kEmpty))
            withoutEvent = withoutEvent == nullptr ? &row : withoutEvent;
        if ((row.isAllocated() && row.allocNs == kEmpty) || (row.isFreed() && row.freeNs == kEmpty))
            withoutTime = withoutTime == nullptr ? &row : withoutTime;
    }
    if (withoutEvent != nullptr && withoutTime != nullptr)
        return wrongLine(*withoutEvent,
                         fmt::format("it has a time without an event, and line {} an "
                                     "event without a time: nothing orders them",
                                     withoutTime->line));
    return withoutEvent == nullptr;
}

std::vector<Step> stepsOf(const std::vector<AllocationRow>& rows, bool byEvents)
{
    std::vector<Step> steps;
    steps.reserve(2 * rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const AllocationRow& row = rows[i];
        const std::int64_t begin = byEvents ? row.allocEvent : row.allocNs;
        const std::int64_t end = byEvents ? row.freeEvent : row.freeNs;
        if (row.isAllocated())
            steps.push_back({begin, i, Step::Kind::Alloc});
        if (row.isFreed())
            steps.push_back({end, i, begin == end ? Step::Kind::FreeAtOnce : Step::Kind::Free});
    }
    std::ranges::stable_sort(steps, [](const Step& a, const Step& b) {
        return std::tie(a.when, a.kind) < std::tie(b.when, b.kind);
    });
    return steps;
}

memtrace::RecordedEvent eventOf(const AllocationRow& row, std::size_t index)
{
    memtrace::RecordedEvent event;
    event.address = row.address != memtrace::kNoAddress
                        ? row.address
                        : memtrace::kNamesInsteadOfAddresses + index;
    event.bytes = row.bytes;
    event.stream = row.stream;
    event.pool = row.pool;
    event.stack = memtrace::StackId{row.stack};
    return event;
}

Result<void> addBeforeRecording(const std::vector<AllocationRow>& rows, memtrace::Builder& builder)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!rows[i].isAllocated())
            if (const auto added = builder.device(rows[i].device).addBefore(eventOf(rows[i], i));
                !added)
                return wrongLine(rows[i], added.error().message);
    return {};
}

Result<void> addStep(const AllocationRow& row, const Step& step, memtrace::Builder& builder)
{
    memtrace::DeviceBuilder& device = builder.device(row.device);
    memtrace::RecordedEvent event = eventOf(row, step.row);
    const bool isAlloc = step.kind == Step::Kind::Alloc;
    event.action = isAlloc ? Action::Alloc : Action::FreeCompleted;
    event.stack = isAlloc ? event.stack : memtrace::StackId{};
    const std::int64_t time = isAlloc ? row.allocNs : row.freeNs;
    if (time != kEmpty)
        event.timeNs = time;
    const auto added = device.add(event);
    if (!added)
        return wrongLine(row, added.error().message);
    if (isAlloc && row.memoryClass.index() != 0)
        device.addText({*added, row.memoryClass, memtrace::EventText::Kind::Category});
    return {};
}

} // namespace

Result<void> addRows(const std::vector<AllocationRow>& rows, memtrace::Builder& builder,
                     const base::JobContext& context)
{
    constexpr std::size_t kStride = std::size_t{1} << 14U;
    ASSIGN_OR_RETURN(const bool byEvents, isOrderedByEvents(rows));
    RETURN_IF_ERROR(addBeforeRecording(rows, builder));
    const std::vector<Step> steps = stepsOf(rows, byEvents);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i % kStride == 0) {
            if (context.stopRequested())
                return base::cancelled();
            context.report(i, steps.size());
        }
        RETURN_IF_ERROR(addStep(rows[steps[i].row], steps[i], builder));
    }
    return {};
}

} // namespace plimsoll::readers::csv
