// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live/carry_over.h"

#include "ui/timeline/coordinates.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

using workspace::ProfilePicture;

constexpr double kAtEnd = 1 - 1e-9;

/// Of the axis' begin between the two: records from before may have come.
base::Nanoseconds shift(const ProfilePicture& from, const ProfilePicture& to)
{
    return base::Nanoseconds{from.trace->epochNs() - to.trace->epochNs()};
}

bool isSame(const memtrace::DeviceTrace& from, std::uint32_t allocation,
            const memtrace::DeviceTrace& to, std::uint32_t other)
{
    const memtrace::Allocations& a = from.allocations();
    const memtrace::Allocations& b = to.allocations();
    return a.bytes[allocation] == b.bytes[other] && a.address[allocation] == b.address[other];
}

} // namespace

bool isLaterReading(const ProfilePicture& from, const ProfilePicture& to)
{
    return from.recorded != to.recorded && from.device().ordinal() == to.device().ordinal()
           && from.settings.axis == to.settings.axis;
}

std::optional<std::size_t> stepIn(const ProfilePicture& from, std::size_t step,
                                  const ProfilePicture& to)
{
    const std::size_t count = to.timeline->stepCount();
    if (step >= from.timeline->stepCount() || count == 0)
        return std::nullopt;
    if (to.settings.axis == memtrace::Axis::Events)
        return step < count ? std::optional{step} : std::nullopt;
    const base::Nanoseconds time = from.timeline->timeAt(step) + shift(from, to);
    // Several events may have one time.
    if (step < count && to.timeline->timeAt(step) == time)
        return step;
    return time <= to.timeline->duration() ? std::optional{to.timeline->stepAtTime(time)}
                                           : std::nullopt;
}

std::optional<StepRange> rangeIn(const ProfilePicture& from, const StepRange& range,
                                 const ProfilePicture& to)
{
    const std::optional<std::size_t> begin = stepIn(from, range.begin, to);
    const std::optional<std::size_t> end = stepIn(from, range.end, to);
    return begin && end ? std::optional{StepRange{*begin, *end}} : std::nullopt;
}

std::optional<std::uint32_t> allocationIn(const ProfilePicture& from, std::uint32_t allocation,
                                          const ProfilePicture& to)
{
    const memtrace::DeviceTrace& before = from.device();
    const memtrace::DeviceTrace& after = to.device();
    if (allocation >= before.allocations().size())
        return std::nullopt;
    const auto count = static_cast<std::uint32_t>(after.allocations().size());
    if (allocation < count && isSame(before, allocation, after, allocation))
        return allocation;
    // An address is used again and again: the one that began then.
    const std::optional<std::size_t> begin = stepIn(from, before.firstStep(allocation), to);
    for (std::uint32_t other = 0; begin && other < count; ++other)
        if (after.firstStep(other) == *begin && isSame(before, allocation, after, other))
            return other;
    return std::nullopt;
}

VisibleRange visibleIn(const ProfilePicture& from, VisibleRange range, const ProfilePicture& to)
{
    const double before = StepAxis{from.timeline}.length();
    const double after = StepAxis{to.timeline}.length();
    const double width = std::min(1.0, (range.end - range.begin) * before / after);
    if (range.end >= kAtEnd)
        return range.begin <= 0 ? VisibleRange{} : VisibleRange{1 - width, 1};
    const double moved = to.settings.axis == memtrace::Axis::Time
                             ? static_cast<double>(shift(from, to).count())
                             : 0.0;
    const double begin = std::clamp((range.begin * before + moved) / after, 0.0, 1 - width);
    return {begin, begin + width};
}

} // namespace plimsoll::ui
