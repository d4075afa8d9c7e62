// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::timeline {

namespace {

constexpr std::array kNames{"Parameters", "Optimizer state", "Buffers",     "Gradients",
                            "Inputs",     "Activations",     "Temporaries", "Workspaces"};

} // namespace

const char* categoryName(Category category)
{
    return kNames.at(static_cast<std::size_t>(category));
}

Stack Timeline::stackAt(std::size_t step) const
{
    Stack stack;
    for (std::size_t category = 0; category < kCategoryCount; ++category)
        stack[category] = base::Bytes{m_byCategory[category][step]};
    return stack;
}

std::size_t Timeline::largestStepIn(std::size_t begin, std::size_t end) const
{
    std::size_t best = begin;
    const auto consider = [&](std::size_t step) {
        if (m_total[step] > m_total[best] || (m_total[step] == m_total[best] && step < best))
            best = step;
    };
    // Blocks of 2^level steps, aligned; m_largest[level - 1] knows each block's largest step.
    while (begin < end) {
        std::size_t level = 0;
        while (level < m_largest.size() && begin % (std::size_t{2} << level) == 0
               && begin + (std::size_t{2} << level) <= end)
            ++level;
        consider(level == 0 ? begin : m_largest[level - 1][begin >> level]);
        begin += std::size_t{1} << level;
    }
    return best;
}

std::vector<std::uint32_t> Timeline::aliveAt(std::size_t step) const
{
    std::vector<std::uint32_t> alive;
    for (std::size_t i = 0; i < m_intervals.size() && m_intervals[i].begin <= step; ++i)
        if (m_intervals[i].end >= step)
            alive.push_back(static_cast<std::uint32_t>(i));
    std::stable_sort(alive.begin(), alive.end(), [this](std::uint32_t a, std::uint32_t b) {
        return m_intervals[a].bytes > m_intervals[b].bytes;
    });
    return alive;
}

std::size_t Timeline::stepAtTime(base::Nanoseconds time) const
{
    const auto after = std::upper_bound(m_begin.begin(), m_begin.end(), time.count());
    const auto step = after - m_begin.begin() - 1;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(step, 0, static_cast<std::ptrdiff_t>(stepCount()) - 1));
}

void Timeline::sumUp()
{
    const std::size_t steps = m_begin.size() - 1;
    for (std::vector<std::int64_t>& curve : m_byCategory)
        curve.assign(steps + 1, 0);
    for (const Interval& interval : m_intervals) {
        auto& curve = m_byCategory[static_cast<std::size_t>(interval.category)];
        curve[interval.begin] += interval.bytes.count();
        curve[interval.end + 1] -= interval.bytes.count();
    }
    m_total.assign(steps, 0);
    for (std::vector<std::int64_t>& curve : m_byCategory) {
        std::partial_sum(curve.begin(), curve.end(), curve.begin());
        curve.resize(steps);
        for (std::size_t step = 0; step < steps; ++step)
            m_total[step] += curve[step];
    }
}

void Timeline::findLargest()
{
    std::vector<std::uint32_t> below(m_total.size());
    std::iota(below.begin(), below.end(), 0U);
    while (below.size() >= 2) {
        std::vector<std::uint32_t> level(below.size() / 2);
        for (std::size_t i = 0; i < level.size(); ++i) {
            const std::uint32_t left = below[2 * i];
            const std::uint32_t right = below[2 * i + 1];
            level[i] = m_total[right] > m_total[left] ? right : left;
        }
        m_largest.push_back(level);
        below = std::move(level);
    }
}

Builder::Builder(std::vector<base::Nanoseconds> durations) : m_durations{std::move(durations)} {}

Builder& Builder::add(const Interval& interval)
{
    m_intervals.push_back(interval);
    return *this;
}

Builder& Builder::addBand(Band band)
{
    m_bands.push_back(std::move(band));
    return *this;
}

TimelinePtr Builder::build() &&
{
    auto timeline = std::make_shared<Timeline>();
    timeline->m_intervals = std::move(m_intervals);
    std::stable_sort(timeline->m_intervals.begin(), timeline->m_intervals.end(),
                     [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    timeline->m_bands = std::move(m_bands);
    const std::size_t steps = m_durations.size();
    timeline->m_begin.assign(steps + 1, 0);
    for (std::size_t step = 0; step < steps; ++step)
        timeline->m_begin[step + 1] = timeline->m_begin[step] + m_durations[step].count();
    timeline->sumUp();
    timeline->findLargest();
    timeline->m_peakStep = steps == 0 ? 0 : timeline->largestStepIn(0, steps);
    return timeline;
}

} // namespace plimsoll::timeline
