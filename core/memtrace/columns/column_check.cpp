// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/columns/column_check.h"

#include <algorithm>
#include <span>

namespace plimsoll::memtrace {

namespace {

// Of what is right every value is looked at: loops without an end in between are several times as
// fast, since the compiler takes many values at once.

template <typename Value>
bool allBelow(const base::Column<Value>& values, std::size_t limit)
{
    Value largest = 0;
    for (const Value value : values)
        largest = std::max(largest, value);
    return values.empty() || largest < limit;
}

bool haveOneLength(const Allocations& a)
{
    const std::size_t size = a.size();
    return a.bytes.size() == size && a.allocEvent.size() == size && a.freeEvent.size() == size
           && a.stack.size() == size && a.place.size() == size
           && (a.freeStack.empty() || a.freeStack.size() == size);
}

/// A number of things as 32 bits, which suffice for all that an index of 32 bits tells apart.
std::uint32_t limitOf(std::size_t count)
{
    return static_cast<std::uint32_t>(std::min<std::size_t>(count, kNone));
}

/// Sizes, and that each ends after it begins.
bool areAllocations(const Allocations& a, std::size_t events)
{
    const std::span<const EventIndex> begins = a.allocEvent.values();
    const std::span<const EventIndex> ends = a.freeEvent.values();
    const std::uint32_t limit = limitOf(events);
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const EventIndex first = begins[i] + 1; // kNoEvent + 1 is 0
        const EventIndex behind = ends[i] + 1;
        wrong |=
            (first > limit ? 1U : 0U) | (first > ends[i] ? 1U : 0U) | (behind > limit ? 1U : 0U);
    }
    std::int64_t sum = 0;
    bool overflows = false;
    std::int64_t signs = 0;
    for (const std::int64_t bytes : a.bytes) {
        signs |= bytes;
        overflows |= __builtin_add_overflow(sum, bytes, &sum);
    }
    return wrong == 0 && !overflows && signs >= 0;
}

bool areSubjects(const DeviceColumns& c)
{
    const std::span<const Action> actions = c.actions.values();
    const std::span<const std::uint32_t> subjects = c.subjects.values();
    const std::uint32_t failures = limitOf(c.outOfMemory.size());
    const std::uint32_t allocations = limitOf(c.allocations.size());
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const std::uint32_t limit = actions[i] == Action::OutOfMemory ? failures : allocations;
        const std::uint32_t behind = subjects[i] + 1; // kNone + 1 is 0
        wrong |= (actions[i] > Action::Other ? 1U : 0U) | (behind > limit ? 1U : 0U);
    }
    return wrong == 0;
}

/// What folded frees before each block there are.
bool areRanks(const DeviceColumns& c)
{
    std::span<const Action> left = c.actions.values();
    std::ptrdiff_t folded = 0;
    for (const std::uint32_t before : c.foldedBefore) {
        if (before != folded)
            return false;
        const auto block = left.first(std::min(left.size(), DeviceColumns::kRankBlock));
        folded += std::ranges::count(block, Action::Free);
        left = left.subspan(block.size());
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
