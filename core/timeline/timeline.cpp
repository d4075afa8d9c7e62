// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline.h"

#include <algorithm>
#include <numeric>
#include <optional>
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

template <typename Visit>
void Timeline::replay(Stack stack, Cursor at, std::size_t begin, std::size_t end,
                      Visit&& visit) const
{
    for (std::size_t step = begin; step < end; ++step) {
        for (; at.begun < m_intervals.size() && m_intervals[at.begun].begin <= step; ++at.begun)
            stack[m_intervals[at.begun].layer] += m_intervals[at.begun].bytes;
        for (; at.ended < m_byEnd.size() && m_intervals[m_byEnd[at.ended]].end < step; ++at.ended)
            stack[m_intervals[m_byEnd[at.ended]].layer] -= m_intervals[m_byEnd[at.ended]].bytes;
        visit(step, stack, at);
    }
}

template <typename Visit>
void Timeline::replay(std::size_t begin, std::size_t end, Visit&& visit) const
{
    if (begin >= end)
        return;
    const std::size_t checkpoint = begin >> m_shift;
    replay(m_checkpoints[checkpoint], m_cursors[checkpoint], checkpoint << m_shift, end,
           [&](std::size_t step, const Stack& stack, const Cursor& /*at*/) {
               if (step >= begin)
                   visit(step, stack);
           });
}

Stack Timeline::stackAt(std::size_t step) const
{
    if (m_shift == 0)
        return m_stacks.at(step);
    Stack found;
    replay(step, step + 1, [&](std::size_t /*step*/, const Stack& stack) { found = stack; });
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
           [&](std::size_t step, const Stack& stack) { totals[step] = sumOf(stack).count(); });
    return totals;
}

template <typename Better>
std::size_t Timeline::bestStepIn(const Pyramid<Better>& pyramid,
                                 const std::vector<std::int64_t>& sections, std::size_t begin,
                                 std::size_t end) const
{
    if (m_shift == 0)
        return pyramid.bestIn([this](std::size_t step) { return m_stacks.totalAt(step); }, begin,
                              end);
    std::size_t best = begin;
    std::optional<std::int64_t> value;
    const auto consider = [&](std::size_t from, std::size_t to) {
        replay(from, to, [&](std::size_t step, const Stack& stack) {
            const std::int64_t total = sumOf(stack).count();
            if (!value || Better{}(total, *value)) {
                best = step;
                value = total;
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
    if (!value || Better{}(sections[stretch], *value))
        consider(stretch << m_shift, (stretch + 1) << m_shift);
    if (last << m_shift < end && Better{}(sections[last], *value))
        consider(last << m_shift, end);
    return best;
}

std::size_t Timeline::largestStepIn(std::size_t begin, std::size_t end) const
{
    return bestStepIn(m_largest, m_sectionLargest, begin, end);
}

std::size_t Timeline::smallestStepIn(std::size_t begin, std::size_t end) const
{
    return bestStepIn(m_smallest, m_sectionSmallest, begin, end);
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

void Timeline::index()
{
    m_stepCount = m_times.size() - 1;
    const auto isBefore = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
    if (!std::is_sorted(m_intervals.begin(), m_intervals.end(), isBefore))
        std::stable_sort(m_intervals.begin(), m_intervals.end(), isBefore);
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
    std::vector<std::uint32_t> place(stepCount() + 1);
    for (const Interval& interval : m_intervals)
        ++place[interval.end + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    m_byEnd.resize(m_intervals.size());
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
    replay({}, {}, 0, stepCount(), [&](std::size_t step, const Stack& stack, const Cursor& at) {
        const std::int64_t total = sumOf(stack).count();
        if (step >> m_shift == m_checkpoints.size()) {
            m_checkpoints.push_back(stack);
            m_cursors.push_back(at);
            m_sectionLargest.push_back(total);
            m_sectionSmallest.push_back(total);
        } else {
            m_sectionLargest.back() = std::max(m_sectionLargest.back(), total);
            m_sectionSmallest.back() = std::min(m_sectionSmallest.back(), total);
        }
    });
    m_checkpoints.shrink_to_fit();
    m_cursors.shrink_to_fit();
    m_sectionLargest.shrink_to_fit();
    m_sectionSmallest.shrink_to_fit();
    m_largest = Pyramid<std::greater<>>{m_sectionLargest.size(), of(m_sectionLargest)};
    m_smallest = Pyramid<std::less<>>{m_sectionSmallest.size(), of(m_sectionSmallest)};
}

} // namespace plimsoll::timeline
