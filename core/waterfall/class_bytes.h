// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/timeline/layers.h"
#include "core/waterfall/step_match.h"

#include <array>
#include <optional>
#include <vector>

namespace plimsoll::waterfall {

/// What of a class is live at the predicted and at the measured peak.
struct ClassBytes
{
    /// None: allocations that are no predicted memory, other than workspaces.
    std::optional<timeline::Category> category;
    base::Bytes predicted;
    base::Bytes measured;

    bool operator==(const ClassBytes&) const = default;
};

/// The peaks during a phase; none if the step, or the recording, doesn't have it.
struct PhaseBytes
{
    std::optional<base::Bytes> predicted;
    std::optional<base::Bytes> measured;

    bool operator==(const PhaseBytes&) const = default;
};

/// All classes, those without bytes too; they add up to the two peaks. A measured allocation has
/// the class of what it was matched with. `workspaces`: allocations that are known to be scratch
/// memory of libraries and kernels, rising.
[[nodiscard]] std::vector<ClassBytes> classBytes(const compare::PredictedStep& step,
                                                 const StepMatch& match,
                                                 const MeasuredStep& measured,
                                                 const std::vector<std::uint32_t>& workspaces);

[[nodiscard]] std::array<PhaseBytes, graph::kPhaseCount>
phaseBytes(const compare::PredictedStep& step, const StepMatch& match,
           const MeasuredStep& measured);

} // namespace plimsoll::waterfall
