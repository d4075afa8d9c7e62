// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/timeline/timeline.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace plimsoll::timeline {

/// What an event says about an allocated block.
struct Allocation
{
    std::uint64_t id = 0; ///< of one block at a time: an address
    base::Bytes bytes;
    std::uint8_t layer = 0;
    std::uint16_t lane = 0;
    std::uint32_t origin = 0; ///< as in Interval
};

/// Collects the content of a Timeline: intervals, or events in the order of their times.
class Builder
{
public:
    /// An axis of steps; `durations` gives their number. A block freed at a step is live during
    /// that step.
    explicit Builder(const std::vector<base::Nanoseconds>& durations,
                     LayersPtr layers = categoryLayers());
    /// An axis of nanoseconds that begins at the first event. Each event is a step of its own, so
    /// that a peak between two events of the same time isn't lost. The last event ends the axis.
    explicit Builder(LayersPtr layers) : m_layers{std::move(layers)} {}
    /// An axis of steps that begin at these times; the last one is the end of the last step.
    Builder(Times times, LayersPtr layers);

    /// Only on an axis of steps. Begin and end must be steps, begin <= end, layer and lane known.
    Builder& add(const Interval& interval)
    {
        if (m_intervals.size() == m_ready)
            makeReady();
        m_isSorted =
            m_isSorted && (m_intervals.empty() || m_intervals.back().begin <= interval.begin);
        m_intervals.push_back(interval);
        return *this;
    }
    void reserve(std::size_t intervals) { m_intervals.reserve(intervals); }
    /// What isn't freed is live until the end. `time` is a step or nanoseconds. An event that fails
    /// has no effect.
    [[nodiscard]] base::Result<void> alloc(std::int64_t time, const Allocation& block);
    [[nodiscard]] base::Result<void> free(std::int64_t time, std::uint64_t id);

    Builder& setLanes(std::vector<std::string> lanes);
    Builder& addBand(Band band);
    Builder& addMark(Mark mark);
    [[nodiscard]] TimelinePtr build() &&;

private:
    /// Has memory for some more intervals, which is backed.
    void makeReady();
    /// The event's step, if the event may be.
    [[nodiscard]] base::Result<std::uint32_t> stepOf(std::int64_t time) const;
    void advance(std::int64_t time);

    LayersPtr m_layers;
    bool m_hasSteps = false;
    std::vector<std::string> m_lanes{{}};
    std::vector<Band> m_bands;
    std::vector<Mark> m_marks;
    std::vector<Interval> m_intervals;
    std::size_t m_ready = 0; ///< how many of these have memory that is backed
    bool m_isSorted = true;  ///< these, by begin
    Times m_times;
    std::unordered_map<std::uint64_t, std::uint32_t> m_open; ///< by id: intervals not freed
    std::int64_t m_begin = 0;                                ///< of an axis of nanoseconds
    std::int64_t m_now = 0;                                  ///< of the last event
    std::int64_t m_alive = 0;                                ///< bytes during the last event's step
    std::int64_t m_freed = 0; ///< of those, bytes that are freed before the next step
};

} // namespace plimsoll::timeline
