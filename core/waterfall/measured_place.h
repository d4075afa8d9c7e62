// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/step_match.h"

#include <cstddef>
#include <optional>

namespace plimsoll::waterfall {

/// Where an event of the recording lies in the order of matched allocations: between two of them,
/// if there are any on both sides.
struct MatchedNeighbours
{
    std::optional<std::size_t> before; ///< in StepMatch::inOrder; at the event or before it
    std::optional<std::size_t> after;
};
[[nodiscard]] MatchedNeighbours neighboursOf(const StepMatch& match, const MeasuredStep& measured,
                                             memtrace::EventIndex event);

/// The predicted step that runs at the measured peak. Known if the peak is reached by an allocation
/// that is matched. Else it is one of those from the last matched allocation before to the first
/// one after it: the one during which the fewest bytes of matched memory are live on one side only,
/// the earliest of several.
[[nodiscard]] std::size_t placeOfPeak(const compare::PredictedStep& step, const StepMatch& match,
                                      const MeasuredStep& measured);

/// The phase of each event of the step, from the beginning of its window: that of the last matched
/// allocation.
[[nodiscard]] std::vector<graph::Phase> phasesOfEvents(const compare::PredictedStep& step,
                                                       const StepMatch& match,
                                                       const MeasuredStep& measured);

} // namespace plimsoll::waterfall
