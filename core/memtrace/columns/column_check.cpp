// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/columns/column_check.h"

#include <algorithm>

namespace plimsoll::memtrace {

namespace {

template <typename Values, typename Limit>
bool allBelow(const Values& values, Limit limit)
{
    return std::all_of(values.begin(), values.end(), [limit](auto value) { return value < limit; });
}

bool haveOneLength(const Allocations& a)
{
    const std::size_t size = a.size();
    return a.bytes.size() == size && a.allocEvent.size() == size && a.freeEvent.size() == size
           && a.stack.size() == size && a.place.size() == size
           && (a.freeStack.empty() || a.freeStack.size() == size);
}

/// Sizes, and that each ends after it begins.
bool areAllocations(const Allocations& a, std::size_t events)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const EventIndex begin = a.allocEvent[i];
        const EventIndex end = a.freeEvent[i];
        if (a.bytes[i] < 0 || __builtin_add_overflow(sum, a.bytes[i], &sum)
            || (begin != kNoEvent && begin >= events) || (end != kNoEvent && end >= events)
            || (begin != kNoEvent && end != kNoEvent && end <= begin))
            return false;
    }
    return true;
}

bool areSubjects(const DeviceColumns& c)
{
    for (std::size_t i = 0; i < c.actions.size(); ++i) {
        const std::size_t limit =
            c.actions[i] == Action::OutOfMemory ? c.outOfMemory.size() : c.allocations.size();
        if (c.actions[i] > Action::Other || (c.subjects[i] != kNone && c.subjects[i] >= limit))
            return false;
    }
    return true;
}

/// What folded frees before each block there are.
bool areRanks(const DeviceColumns& c)
{
    std::uint32_t folded = 0;
    for (std::size_t i = 0; i < c.actions.size(); ++i) {
        if (i % DeviceColumns::kRankBlock == 0
            && c.foldedBefore[i / DeviceColumns::kRankBlock] != folded)
            return false;
        folded += c.actions[i] == Action::Free ? 1U : 0U;
    }
    return true;
}

/// So that their sum is a number of bytes, too.
constexpr std::int64_t kMostReserved = std::int64_t{1} << 62U;
constexpr std::int64_t kMostForeign = std::int64_t{1} << 61U;

bool areSegments(const DeviceColumns& c, std::size_t stacks)
{
    std::int64_t sum = 0;
    return std::all_of(c.segments.begin(), c.segments.end(), [&](const Segment& s) {
        return s.bytes > 0 && !__builtin_add_overflow(sum, s.bytes, &sum) && sum <= kMostReserved
               && (s.begin == kNoEvent || s.begin < c.actions.size())
               && (s.end == kNoEvent || s.end < c.actions.size()) && s.stack < stacks
               && s.place < c.places.size();
    });
}

bool areTotals(const DeviceColumns& c, const std::vector<StepCurve::Point>& totals)
{
    return std::all_of(totals.begin(), totals.end(),
                       [&](const StepCurve::Point& point) {
                           return point.bytes.count() >= 0 && point.bytes.count() <= kMostForeign
                                  && point.step <= c.actions.size();
                       })
           && std::adjacent_find(totals.begin(), totals.end(), [](const auto& a, const auto& b) {
                  return a.step >= b.step;
              }) == totals.end();
}

bool areOthers(const DeviceColumns& c, const StackTable& stacks)
{
    const auto isEvent = [&](EventIndex event) { return event < c.actions.size(); };
    const auto isAllocation = [&](std::uint32_t index) { return index < c.allocations.size(); };
    return std::all_of(c.endBlocks.begin(), c.endBlocks.end(),
                       [&](const EndBlock& b) {
                           return b.bytes >= 0
                                  && (b.allocation == kNone || isAllocation(b.allocation));
                       })
           && std::all_of(c.outOfMemory.begin(), c.outOfMemory.end(),
                          [&](const OutOfMemory& o) {
                              return isEvent(o.event) && o.stack < stacks.stackCount();
                          })
           && std::all_of(c.pendingFrees.begin(), c.pendingFrees.end(),
                          [&](const PendingFree& p) {
                              return isAllocation(p.allocation) && isEvent(p.requested);
                          })
           && std::all_of(c.texts.begin(), c.texts.end(), [&](const EventText& t) {
                  return isEvent(t.event) && t.text.index() < stacks.textCount()
                         && t.kind <= EventText::Kind::Annotation;
              });
}

} // namespace

std::string_view columnFault(const DeviceColumns& columns, const StackTable& stacks)
{
    const std::size_t events = columns.actions.size();
    const Allocations& allocations = columns.allocations;
    if (columns.subjects.size() != events || columns.times.size() != events + 2
        || columns.foldedBefore.size()
               != (events + DeviceColumns::kRankBlock - 1) / DeviceColumns::kRankBlock
        || !haveOneLength(allocations))
        return "columns differ in length";
    if (!areSubjects(columns) || !areRanks(columns))
        return "the events are wrong";
    if (!areAllocations(allocations, events) || !allBelow(allocations.stack, stacks.stackCount())
        || !allBelow(allocations.freeStack, stacks.stackCount())
        || !allBelow(allocations.place, columns.places.size()))
        return "the allocations are wrong";
    if (!areSegments(columns, stacks.stackCount()) || !areTotals(columns, columns.reservedTotals)
        || !areTotals(columns, columns.foreign))
        return "the segments are wrong";
    return areOthers(columns, stacks) ? std::string_view{}
                                      : "the blocks, texts or failures are wrong";
}

} // namespace plimsoll::memtrace
