// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline.h"

#include "core/base/prefault.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

namespace plimsoll::timeline {

namespace {

/// Axes with more steps than this have a checkpoint every 2^kCheckpointShift steps: a stack per
/// step would take more memory than intervals and times together.
constexpr std::size_t kMostCheckpoints = std::size_t{1} << 20U;
constexpr unsigned kCheckpointShift = 6;
constexpr std::size_t kIntervalBlock = 16; ///< of m_lastEnd

/// Values of a vector, as pyramids take them.
template <typename Value>
auto of(const std::vector<Value>& values)
{
    return [&values](std::size_t at) { return values[at]; };
}

} // namespace

/// A visit that returns false is the last one.
template <typename Visit>
void Timeline::replay(State state, std::size_t begin, std::size_t end, Visit&& visit) const
{
    Cursor& at = state.at;
    for (std::size_t step = begin; step < end; ++step) {
        for (; at.begun < m_intervals.size(); ++at.begun) {
            const Interval& interval = m_intervals[at.begun];
            if (interval.begin > step)
                break;
            state.stack[interval.layer] += interval.bytes;
            state.total += interval.bytes.count();
        }
        for (; at.ended < m_byEnd.size(); ++at.ended) {
            const Interval& interval = m_intervals[m_byEnd[at.ended]];
            if (interval.end >= step)
                break;
            state.stack[interval.layer] -= interval.bytes;
            state.total -= interval.bytes.count();
        }
        if constexpr (std::is_same_v<std::invoke_result_t<Visit&, std::size_t, const State&>,
                                     bool>) {
            if (!visit(step, std::as_const(state)))
                return;
        } else {
            visit(step, std::as_const(state));
        }
    }
}

template <typename Visit>
void Timeline::replay(std::size_t begin, std::size_t end, Visit&& visit) const
{
    if (begin >= end)
        return;
    const std::size_t checkpoint = begin >> m_shift;
    const Stack& stack = m_checkpoints[checkpoint];
    replay(State{stack, sumOf(stack).count(), m_cursors[checkpoint]}, checkpoint << m_shift, end,
           [&](std::size_t step, const State& state) {
               if constexpr (std::is_same_v<decltype(visit(step, state)), bool>) {
                   return step < begin || visit(step, state);
               } else {
                   if (step >= begin)
                       visit(step, state);
               }
           });
}

Stack Timeline::stackAt(std::size_t step) const
{
    if (m_shift == 0)
        return m_stacks.at(step);
    Stack found;
    replay(step, step + 1, [&](std::size_t /*step*/, const State& state) { found = state.stack; });
    return found;
}

base::Bytes Timeline::totalAt(std::size_t step) const
{
    return m_shift == 0 ? base::Bytes{m_stacks.totalAt(step)} : sumOf(stackAt(step));
}

std::vector<std::int64_t> Timeline::totals() const
{
    std::vector<std::int64_t> totals(stepCount());
    if (m_shift == 0) {
        for (std::size_t step = 0; step < totals.size(); ++step)
            totals[step] = m_stacks.totalAt(step);
        return totals;
    }
    replay(0, stepCount(),
           [&](std::size_t step, const State& state) { totals[step] = state.total; });
    return totals;
}

template <typename Better>
Timeline::Found Timeline::bestIn(const Pyramid<Better>& pyramid,
                                 const std::vector<std::int64_t>& sections, std::size_t begin,
                                 std::size_t end) const
{
    if (m_shift == 0) {
        const std::size_t step =
            pyramid.bestIn([this](std::size_t at) { return m_stacks.totalAt(at); }, begin, end);
        return {step, m_stacks.at(step)};
    }
    Found best;
    std::optional<std::int64_t> value;
    const auto consider = [&](std::size_t from, std::size_t to) {
        replay(from, to, [&](std::size_t step, const State& state) {
            if (!value || Better{}(state.total, *value)) {
                best = {step, state.stack};
                value = state.total;
            }
        });
    };
    // Complete sections between two checkpoints.
    const std::size_t first = (begin + (std::size_t{1} << m_shift) - 1) >> m_shift;
    const std::size_t last = end >> m_shift;
    if (first >= last) {
        consider(begin, end);
        return best;
    }
    // Of those that are cut at either end, the whole section's best tells whether to look.
    const std::size_t stretch = pyramid.bestIn(of(sections), first, last);
    if (begin < first << m_shift && !Better{}(sections[stretch], sections[first - 1]))
        consider(begin, first << m_shift);
    if (!value || Better{}(sections[stretch], *value)) {
        value = sections[stretch];
        replay(stretch << m_shift, (stretch + 1) << m_shift,
               [&](std::size_t step, const State& state) {
                   best = {step, state.stack};
                   return state.total != *value;
               });
    }
    if (last << m_shift < end && Better{}(sections[last], *value))
        consider(last << m_shift, end);
    return best;
}

std::size_t Timeline::largestStepIn(std::size_t begin, std::size_t end) const
{
    return bestIn(m_largest, m_sectionLargest, begin, end).step;
}

std::size_t Timeline::smallestStepIn(std::size_t begin, std::size_t end) const
{
    return bestIn(m_smallest, m_sectionSmallest, begin, end).step;
}

std::vector<Timeline::Found> Timeline::largestInEach(std::span<const StepSpan> ranges) const
{
    std::vector<Found> found(ranges.size());
    const std::size_t steps = ranges.empty() ? 0 : ranges.back().end - ranges.front().begin;
    if (m_shift == 0 || steps >> m_shift > ranges.size()) {
        std::ranges::transform(ranges, found.begin(), [this](const StepSpan& range) {
            return bestIn(m_largest, m_sectionLargest, range.begin, range.end);
        });
        return found;
    }
    // Those of a few steps share what is replayed.
    std::vector<std::int64_t> largest(ranges.size(), -1);
    std::size_t first = 0; // of the ranges that the step is in
    std::size_t last = 0;
    replay(ranges.empty() ? 0 : ranges.front().begin, ranges.empty() ? 0 : ranges.back().end,
           [&](std::size_t step, const State& state) {
               while (last < ranges.size() && ranges[last].begin <= step)
                   ++last;
               while (first < last && ranges[first].end <= step)
                   ++first;
               for (std::size_t i = first; i < last; ++i) {
                   if (state.total <= largest[i])
                       continue;
                   largest[i] = state.total;
                   found[i] = {step, state.stack};
               }
           });
    return found;
}

std::vector<std::uint32_t> Timeline::aliveAt(std::size_t step) const
{
    std::vector<std::pair<base::Bytes, std::uint32_t>> alive;
    const auto consider = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (m_intervals[i].end >= step)
                alive.emplace_back(m_intervals[i].bytes, static_cast<std::uint32_t>(i));
    };
    const auto begun = static_cast<std::size_t>(
        std::partition_point(m_intervals.begin(), m_intervals.end(),
                             [step](const Interval& interval) { return interval.begin <= step; })
        - m_intervals.begin());
    const std::size_t blocks = begun / kIntervalBlock;
    m_lastEnd.forEachAsGood(
        of(m_lastEnds), blocks, static_cast<std::uint32_t>(step),
        [&](std::size_t block) { consider(block * kIntervalBlock, (block + 1) * kIntervalBlock); });
    consider(blocks * kIntervalBlock, begun);
    std::sort(alive.begin(), alive.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::uint32_t> indices(alive.size());
    std::transform(alive.begin(), alive.end(), indices.begin(),
                   [](const auto& interval) { return interval.second; });
    return indices;
}

std::size_t Timeline::stepAtTime(base::Nanoseconds time) const
{
    const std::size_t begun = m_times.countUntil(time.count());
    return std::clamp<std::size_t>(begun, 1, stepCount()) - 1;
}

std::size_t Timeline::stepAtTime(base::Nanoseconds time, std::size_t from, std::size_t ahead) const
{
    const std::size_t begun = m_times.countUntil(time.count(), from, ahead);
    return std::clamp<std::size_t>(begun, 1, stepCount()) - 1;
}

void Timeline::index()
{
    m_stepCount = m_times.size() - 1;
    if (stepCount() > kMostCheckpoints) {
        m_shift = kCheckpointShift;
        m_intervals.shrink_to_fit();
        m_times.compress();
        sortByEnd();
        keepCheckpoints();
    } else {
        keepEachStep();
    }
    m_lastEnds.resize((m_intervals.size() + kIntervalBlock - 1) / kIntervalBlock);
    for (std::size_t i = 0; i < m_intervals.size(); ++i)
        m_lastEnds[i / kIntervalBlock] =
            std::max(m_lastEnds[i / kIntervalBlock], m_intervals[i].end);
    m_lastEnd = Pyramid<std::greater<>>{m_lastEnds.size(), of(m_lastEnds)};
    if (stepCount() > 0) {
        m_peakStep = largestStepIn(0, stepCount());
        m_peak = totalAt(m_peakStep);
    }
}

void Timeline::sortByEnd()
{
    auto place = base::prefaultedZeros<std::uint32_t>(stepCount() + 1);
    for (const Interval& interval : m_intervals)
        ++place[interval.end + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    m_byEnd = base::prefaultedZeros<std::uint32_t>(m_intervals.size());
    for (std::size_t i = 0; i < m_intervals.size(); ++i)
        m_byEnd[place[m_intervals[i].end]++] = static_cast<std::uint32_t>(i);
}

void Timeline::keepEachStep()
{
    m_stacks = Stacks{m_intervals, stepCount()};
    const auto totals = [this](std::size_t step) { return m_stacks.totalAt(step); };
    m_largest = Pyramid<std::greater<>>{stepCount(), totals};
    m_smallest = Pyramid<std::less<>>{stepCount(), totals};
}

void Timeline::keepCheckpoints()
{
    constexpr std::size_t kSteps = std::size_t{1} << kCheckpointShift;
    const std::size_t sections = (stepCount() + kSteps - 1) / kSteps;
    m_checkpoints.reserve(sections);
    m_cursors.reserve(sections);
    m_sectionLargest.reserve(sections);
    m_sectionSmallest.reserve(sections);
    State state;
    Cursor& at = state.at;
    for (std::size_t first = 0; first < stepCount(); first += kSteps) {
        m_checkpoints.push_back(state.stack);
        m_cursors.push_back(at);
        // What each step adds to the one before it, without a look at the steps one by one.
        const std::size_t last = std::min(first + kSteps, stepCount());
        std::array<std::int64_t, kSteps> changes{};
        for (; at.begun < m_intervals.size() && m_intervals[at.begun].begin < last; ++at.begun) {
            const Interval& interval = m_intervals[at.begun];
            state.stack[interval.layer] += interval.bytes;
            changes[interval.begin - first] += interval.bytes.count();
        }
        for (; at.ended < m_byEnd.size(); ++at.ended) {
            const Interval& interval = m_intervals[m_byEnd[at.ended]];
            if (std::size_t{interval.end} + 1 >= last)
                break;
            state.stack[interval.layer] -= interval.bytes;
            changes[interval.end + 1 - first] -= interval.bytes.count();
        }
        std::int64_t largest = std::numeric_limits<std::int64_t>::min();
        std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t step = 0; step < last - first; ++step) {
            state.total += changes[step];
            largest = std::max(largest, state.total);
            smallest = std::min(smallest, state.total);
        }
        m_sectionLargest.push_back(largest);
        m_sectionSmallest.push_back(smallest);
    }
    m_largest = Pyramid<std::greater<>>{m_sectionLargest.size(), of(m_sectionLargest)};
    m_smallest = Pyramid<std::less<>>{m_sectionSmallest.size(), of(m_sectionSmallest)};
}

} // namespace plimsoll::timeline
