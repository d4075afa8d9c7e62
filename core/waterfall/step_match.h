// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/two_steps.h"
#include "core/waterfall/step_window.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::waterfall {

/// A step as it was recorded.
struct MeasuredStep
{
    const memtrace::MemoryTrace& trace;
    const memtrace::DeviceTrace& device;
    StepWindow window;
    /// The first event after which most of what was asked for is live, and these bytes.
    memtrace::EventIndex peakEvent = 0;
    base::Bytes peak;

    [[nodiscard]] bool isLiveAt(std::size_t allocation, memtrace::EventIndex event) const;
    /// At the peak.
    [[nodiscard]] bool isLive(std::size_t allocation) const
    {
        return isLiveAt(allocation, peakEvent);
    }
};

/// Which allocation is which predicted live interval (plan::Instance). Pairs have equal sizes, as
/// the problem rounds them.
struct StepMatch
{
    std::vector<std::uint32_t> allocationOf; ///< by instance; memtrace::kNone
    std::vector<std::uint32_t> instanceOf;   ///< by allocation; memtrace::kNone
    /// Instances that the step allocates, in order.
    std::vector<std::uint32_t> predicted;
    std::vector<std::uint32_t> measured; ///< allocations of the step, in order
    /// Pairs of positions in these two, both rising: what was found in order. Other pairs are of
    /// one op that allocates its results in another order, and of memory that is older than the
    /// step on one side or both.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> inOrder;
    /// The event that allocates the first of them, or where the step begins.
    memtrace::EventIndex begin = 0;

    /// How many of the allocations in `predicted` have a counterpart.
    [[nodiscard]] std::size_t found() const;
};

/// Bytes of an instance, as the problem rounds them.
[[nodiscard]] base::Bytes instanceBytes(const compare::PredictedStep& step, std::size_t instance);

} // namespace plimsoll::waterfall
