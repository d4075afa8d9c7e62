// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/evaluate.h"
#include "core/solve/common/chain.h"

#include <vector>

namespace plimsoll::solve {

/// One stage of the chain: forward ops between two neighbouring cuts.
struct Stage
{
    graph::Moment first = 0; ///< op, inclusive
    graph::Moment last = 0;
    std::string module;                     ///< path of the innermost module around all its ops
    std::vector<graph::StorageId> crossing; ///< what crosses the cut in front of the stage
};

/// A step seen as a chain. Sizes are rounded as the problem says, times those of its device.
struct LinearizedStep
{
    std::vector<Stage> stages; ///< tile forward and loss
    Chain chain;               ///< chain.regions: which runs of stages are legal regions
    /// What no plan moves (parameters, gradients, optimizer state …) at the moment when it is
    /// largest, reserve included.
    base::Bytes fixed;
};

/// Cuts forward and loss of a step between calls of modules (module granularity), never in front of
/// an op that overwrites what crosses the cut; the chain's numbers come from replaying each stage.
/// Follows checkpointing.md 4.2.
[[nodiscard]] base::Result<LinearizedStep> linearize(const plan::Problem& problem);

/// The plan's region for a run of stages: the calls that tile it, or nothing when it is not a legal
/// region.
[[nodiscard]] std::vector<graph::CallId> membersOf(const graph::Program& program,
                                                   graph::Moment first, graph::Moment last);

} // namespace plimsoll::solve
