// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/builder.h"

#include "core/base/prefault.h"
#include "core/base/try.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::timeline {

namespace {

constexpr std::uint32_t kNotFreed = std::numeric_limits<std::uint32_t>::max();

tl::unexpected<base::Error> refused(const char* what, std::int64_t time, std::uint64_t id)
{
    return base::failure(base::ErrorKind::File, "At time " + std::to_string(time) + " block "
                                                    + std::to_string(id) + ' ' + what + '.');
}

} // namespace

Builder::Builder(const std::vector<base::Nanoseconds>& durations, LayersPtr layers)
    : m_layers{std::move(layers)}, m_hasSteps{true}
{
    std::int64_t time = 0;
    m_times.reserve(durations.size() + 1);
    m_times.append(0);
    for (const base::Nanoseconds duration : durations)
        m_times.append(time += duration.count());
}

Builder::Builder(Times times, LayersPtr layers)
    : m_layers{std::move(layers)}, m_hasSteps{true}, m_times{std::move(times)}
{
}

base::Result<std::uint32_t> Builder::stepOf(std::int64_t time) const
{
    const bool isFirst = m_intervals.empty();
    std::int64_t behind = 0;
    if (!isFirst && time < m_now)
        return refused("comes after a later event", time, 0);
    if (m_hasSteps) {
        if (time < 0 || time + 1 >= static_cast<std::int64_t>(m_times.size()))
            return refused("comes at no step of the axis", time, 0);
        return static_cast<std::uint32_t>(time);
    }
    if (m_times.size() >= kNotFreed - 1)
        return refused("is one event too many", time, 0);
    if (!isFirst && __builtin_sub_overflow(time, m_begin, &behind))
        return refused("is too far from the first event", time, 0);
    return static_cast<std::uint32_t>(m_times.size());
}

void Builder::makeReady()
{
    constexpr std::size_t kPiece = base::kPrefaultedPiece / sizeof(Interval);
    if (m_intervals.size() == m_intervals.capacity())
        m_intervals.reserve(std::max<std::size_t>(16, 2 * m_intervals.size()));
    m_ready = std::min(m_intervals.size() + kPiece, m_intervals.capacity());
    base::prefault(m_intervals.data() + m_intervals.size(),
                   (m_ready - m_intervals.size()) * sizeof(Interval));
}

void Builder::advance(std::int64_t time)
{
    if (m_intervals.empty())
        m_begin = time;
    if (!m_hasSteps)
        m_times.append(time - m_begin);
    if (!m_hasSteps || time != m_now)
        m_alive -= std::exchange(m_freed, 0);
    m_now = time;
}

base::Result<void> Builder::alloc(std::int64_t time, const Allocation& block)
{
    ASSIGN_OR_RETURN(const std::uint32_t step, stepOf(time));
    if (block.layer >= m_layers->size() || block.lane >= m_lanes.size())
        return refused("has an unknown layer or lane", time, block.id);
    if (m_intervals.size() >= kNotFreed)
        return refused("is one block too many", time, block.id);
    std::int64_t sum = 0;
    if (block.bytes.count() < 0 || __builtin_add_overflow(m_alive, block.bytes.count(), &sum))
        return refused("has an impossible size", time, block.id);
    if (!m_open.emplace(block.id, static_cast<std::uint32_t>(m_intervals.size())).second)
        return refused("is allocated twice", time, block.id);
    advance(time);
    Interval interval;
    interval.begin = step;
    interval.end = kNotFreed;
    interval.bytes = block.bytes;
    interval.layer = block.layer;
    interval.lane = block.lane;
    interval.origin = block.origin;
    add(interval);
    m_alive += block.bytes.count();
    return {};
}

base::Result<void> Builder::free(std::int64_t time, std::uint64_t id)
{
    ASSIGN_OR_RETURN(const std::uint32_t step, stepOf(time));
    const auto open = m_open.find(id);
    if (open == m_open.end())
        return refused("is freed but not allocated", time, id);
    advance(time);
    Interval& interval = m_intervals[open->second];
    m_open.erase(open);
    // On an axis of nanoseconds an event begins a step, which no longer contains the block.
    interval.end = m_hasSteps ? step : step - 1;
    (m_hasSteps ? m_freed : m_alive) +=
        m_hasSteps ? interval.bytes.count() : -interval.bytes.count();
    return {};
}

Builder& Builder::setLanes(std::vector<std::string> lanes)
{
    m_lanes = std::move(lanes);
    return *this;
}

Builder& Builder::addBand(Band band)
{
    m_bands.push_back(std::move(band));
    return *this;
}

Builder& Builder::addMark(Mark mark)
{
    m_marks.push_back(std::move(mark));
    return *this;
}

TimelinePtr Builder::build() &&
{
    if (!m_hasSteps)
        m_times.append(m_now - m_begin);
    for (const auto& [id, index] : m_open)
        m_intervals[index].end = static_cast<std::uint32_t>(m_times.size() - 2);
    if (!m_isSorted)
        std::ranges::stable_sort(m_intervals, {}, &Interval::begin);
    auto timeline = std::make_shared<Timeline>();
    timeline->m_layers = std::move(m_layers);
    timeline->m_lanes = std::move(m_lanes);
    timeline->m_bands = std::move(m_bands);
    timeline->m_marks = std::move(m_marks);
    timeline->m_intervals = std::move(m_intervals);
    timeline->m_times = std::move(m_times);
    timeline->index();
    return timeline;
}

} // namespace plimsoll::timeline
