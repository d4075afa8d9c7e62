// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/timeline/interval.h"
#include "core/timeline/layers.h"
#include "core/timeline/pyramid.h"
#include "core/timeline/stacks.h"
#include "core/timeline/times.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::timeline {

/// A named range of steps, such as a phase: begin..end, both included.
struct Band
{
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::string label;
    std::uint8_t row = 0; ///< 1: within one of row 0
};
inline constexpr std::size_t kBandRows = 2;

/// A named step.
struct Mark
{
    std::uint32_t step = 0;
    std::string label;
};

/// Steps begin..end - 1.
struct StepSpan
{
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// What is drawn: memory by layer over an axis of steps, or of nanoseconds, whose steps are what
/// lies between two events. Immutable once built; made only by Builder.
///
/// The stack is kept at checkpoints and found in between by replaying what begins and ends; on a
/// short axis each step is a checkpoint.
class Timeline
{
public:
    [[nodiscard]] const Layers& layers() const { return *m_layers; }
    [[nodiscard]] const LayersPtr& layersPtr() const { return m_layers; }
    /// Names of devices, pools or streams; at least one.
    [[nodiscard]] const std::vector<std::string>& lanes() const { return m_lanes; }
    [[nodiscard]] const std::vector<Band>& bands() const { return m_bands; }
    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }
    /// Sorted by begin.
    [[nodiscard]] const std::vector<Interval>& intervals() const { return m_intervals; }

    [[nodiscard]] std::size_t stepCount() const { return m_stepCount; }
    /// Bytes alive during a step, by layer.
    [[nodiscard]] Stack stackAt(std::size_t step) const;
    [[nodiscard]] base::Bytes totalAt(std::size_t step) const;
    /// Of each step.
    [[nodiscard]] std::vector<std::int64_t> totals() const;
    [[nodiscard]] base::Bytes peak() const { return m_peak; }
    /// First step that reaches the peak.
    [[nodiscard]] std::size_t peakStep() const { return m_peakStep; }
    /// The first step with the largest total in [begin, end), in O(log n). Requires begin < end <=
    /// stepCount().
    [[nodiscard]] std::size_t largestStepIn(std::size_t begin, std::size_t end) const;
    /// A step and its stack.
    struct Found
    {
        std::size_t step = 0;
        Stack stack{};
    };
    /// largestStepIn() of several ranges at once, such as the columns of a plot. None begins or
    /// ends before the one in front of it.
    [[nodiscard]] std::vector<Found> largestInEach(std::span<const StepSpan> ranges) const;
    /// The first step with the smallest total, likewise.
    [[nodiscard]] std::size_t smallestStepIn(std::size_t begin, std::size_t end) const;
    /// Indices of the intervals live during a step, largest first. Its time depends on their
    /// number, not on that of all intervals.
    [[nodiscard]] std::vector<std::uint32_t> aliveAt(std::size_t step) const;

    /// Time at which a step begins, from the axis' begin; timeAt(stepCount()) is the end of the
    /// last one.
    [[nodiscard]] base::Nanoseconds timeAt(std::size_t step) const
    {
        return base::Nanoseconds{m_times[step]};
    }
    [[nodiscard]] base::Nanoseconds duration() const { return timeAt(stepCount()); }
    /// The step that runs at a time, clamped to the range of steps. Requires stepCount() > 0.
    [[nodiscard]] std::size_t stepAtTime(base::Nanoseconds time) const;
    /// The same for a time not before the begin of `from`, fast if it is about `ahead` steps later.
    [[nodiscard]] std::size_t stepAtTime(base::Nanoseconds time, std::size_t from,
                                         std::size_t ahead) const;

private:
    friend class Builder;
    /// How many intervals have begun, in their order, and ended, in that of m_byEnd.
    struct Cursor
    {
        std::uint32_t begun = 0;
        std::uint32_t ended = 0;
    };
    /// What is known of a step.
    struct State
    {
        Stack stack;
        std::int64_t total = 0;
        Cursor at;
    };
    /// Calls visit(step, state) for the steps of [begin, end), from the state of the step before.
    template <typename Visit>
    void replay(State state, std::size_t begin, std::size_t end, Visit&& visit) const;
    /// The same from the checkpoint before `begin`.
    template <typename Visit>
    void replay(std::size_t begin, std::size_t end, Visit&& visit) const;
    /// `sections`: the best totals between two checkpoints.
    template <typename Better>
    [[nodiscard]] Found bestIn(const Pyramid<Better>& best,
                               const std::vector<std::int64_t>& sections, std::size_t begin,
                               std::size_t end) const;
    /// Builds everything from m_intervals, which are sorted, and m_times.
    void index();
    void keepEachStep();
    void keepCheckpoints();
    void sortByEnd();

    LayersPtr m_layers;
    std::vector<std::string> m_lanes;
    std::vector<Band> m_bands;
    std::vector<Mark> m_marks;
    std::vector<Interval> m_intervals;
    Times m_times; ///< stepCount() + 1
    std::size_t m_stepCount = 0;

    unsigned m_shift = 0; ///< a checkpoint every 2^m_shift steps
    Stacks m_stacks;      ///< if each step is a checkpoint; else the next members are filled
    std::vector<Stack> m_checkpoints;
    std::vector<Cursor> m_cursors;              ///< behind each checkpoint
    std::vector<std::uint32_t> m_byEnd;         ///< indices of the intervals
    std::vector<std::int64_t> m_sectionLargest; ///< largest total from each checkpoint to the next
    std::vector<std::int64_t> m_sectionSmallest;
    Pyramid<std::greater<>> m_largest; ///< of totals, of steps or these sections
    Pyramid<std::less<>> m_smallest;
    std::vector<std::uint32_t> m_lastEnds; ///< of each block of intervals
    Pyramid<std::greater<>> m_lastEnd;     ///< of these
    std::size_t m_peakStep = 0;
    base::Bytes m_peak;
};

using TimelinePtr = std::shared_ptr<const Timeline>;

} // namespace plimsoll::timeline
