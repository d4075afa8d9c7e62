// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::timeline {

/// Layers of the stacked area, bottom to top.
enum class Category : std::uint8_t {
    Parameters,
    OptimizerState,
    Buffers,
    Gradients,
    Inputs,
    Activations,
    Temporaries,
    Workspaces,
};
inline constexpr std::size_t kCategoryCount = 8;
/// "Parameters", "Optimizer state", …
[[nodiscard]] const char* categoryName(Category category);

using Stack = std::array<base::Bytes, kCategoryCount>;

/// One block of memory, alive during the steps begin..end, both included.
struct Interval
{
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    base::Bytes bytes;
    Category category = Category::Temporaries;
    std::uint32_t origin = 0; ///< index into the producer's table (a Schedule's instances): leads
                              ///< back to tensor and line
};

/// A named stretch of steps, such as a phase: begin..end, both included.
struct Band
{
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::string label;
};

/// What is drawn: memory by category over the steps of a schedule. Immutable once built; made only
/// by Builder.
class Timeline
{
public:
    [[nodiscard]] std::size_t stepCount() const { return m_total.size(); }
    /// Bytes alive during a step, by category.
    [[nodiscard]] Stack stackAt(std::size_t step) const;
    [[nodiscard]] base::Bytes totalAt(std::size_t step) const { return base::Bytes{m_total[step]}; }
    [[nodiscard]] const std::vector<std::int64_t>& totals() const { return m_total; }
    [[nodiscard]] base::Bytes peak() const
    {
        return base::Bytes{m_total.empty() ? 0 : m_total[m_peakStep]};
    }
    /// First step that reaches the peak.
    [[nodiscard]] std::size_t peakStep() const { return m_peakStep; }
    /// The first step with the largest total in [begin, end), in O(log n). Requires begin < end <=
    /// stepCount().
    [[nodiscard]] std::size_t largestStepIn(std::size_t begin, std::size_t end) const;
    /// Indices of the intervals alive during a step, largest first.
    [[nodiscard]] std::vector<std::uint32_t> aliveAt(std::size_t step) const;
    /// Sorted by begin.
    [[nodiscard]] const std::vector<Interval>& intervals() const { return m_intervals; }
    [[nodiscard]] const std::vector<Band>& bands() const { return m_bands; }

    /// Time at which a step begins; timeAt(stepCount()) is the end of the last one.
    [[nodiscard]] base::Nanoseconds timeAt(std::size_t step) const
    {
        return base::Nanoseconds{m_begin[step]};
    }
    [[nodiscard]] base::Nanoseconds duration() const
    {
        return base::Nanoseconds{m_begin.empty() ? 0 : m_begin.back()};
    }
    /// The step that runs at a time, clamped to the step range. Requires stepCount() > 0.
    [[nodiscard]] std::size_t stepAtTime(base::Nanoseconds time) const;

private:
    friend class Builder;
    /// The curves, from m_intervals and the steps of m_begin.
    void sumUp();
    void findLargest();

    std::vector<Interval> m_intervals;
    std::vector<Band> m_bands;
    std::vector<std::int64_t> m_total;
    std::array<std::vector<std::int64_t>, kCategoryCount> m_byCategory;
    /// Level l: the first step of the largest total in each whole block of 2^(l+1) steps.
    std::vector<std::vector<std::uint32_t>> m_largest;
    std::vector<std::int64_t> m_begin; ///< stepCount() + 1 prefix times
    std::size_t m_peakStep = 0;
};

using TimelinePtr = std::shared_ptr<const Timeline>;

/// Collects what a Timeline is made of. `durations` gives the number of steps.
class Builder
{
public:
    explicit Builder(std::vector<base::Nanoseconds> durations);
    /// Begin and end must be steps, begin <= end.
    Builder& add(const Interval& interval);
    Builder& addBand(Band band);
    [[nodiscard]] TimelinePtr build() &&;

private:
    std::vector<base::Nanoseconds> m_durations;
    std::vector<Interval> m_intervals;
    std::vector<Band> m_bands;
};

} // namespace plimsoll::timeline
