// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/evaluate.h"
#include "core/solve/regions/chain.h"
#include "core/solve/regions/cuts.h"
#include "core/solve/regions/region_space.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// One stage of the chain: forward ops between two neighbouring cuts.
struct Stage
{
    graph::OpIndex first = 0; ///< op, inclusive
    graph::OpIndex last = 0;
    std::string module;                     ///< path of the innermost module around all its ops
    std::vector<graph::StorageId> crossing; ///< what crosses the cut before the stage
    std::optional<double> lastSave; ///< nanoseconds of its ops that have run when its last saved
                                    ///< value is saved; none: it saves nothing
};

/// Which stages the chain charges for a value that crosses several cuts, such as a residual.
enum class Residuals : std::uint8_t {
    EachCut,  ///< at every cut that it crosses: never too little
    FirstCut, ///< at the first one only: right if one kept value serves all of them
};

/// A step seen as a chain. Sizes are rounded as the problem says, times those of its device.
struct LinearizedStep
{
    std::vector<Stage> stages; ///< tile forward and loss
    Chain chain;               ///< chain.regions: which runs of stages are legal regions
    base::Bytes fixed; ///< what no plan changes, reserve included: storages that live throughout
                       ///< the step, and the gradients
};

/// Cells of the rotor table grow with the square of the stages: 200 stages at 500 slots take 80 MB.
inline constexpr std::size_t kMostStages = 200;

/// Cuts forward and loss of a step between calls or ops, never before an op that overwrites what
/// crosses the cut; the chain's numbers come from replaying each stage. Follows
/// checkpointing.md 4.2. `space` is of the same program; `cuts`: where its regions may begin, by
/// default anywhere.
[[nodiscard]] base::Result<LinearizedStep> linearize(const plan::Problem& problem,
                                                     const RegionSpace& space, Residuals residuals,
                                                     std::size_t mostStages = kMostStages,
                                                     std::optional<CutRule> cuts = {});

} // namespace plimsoll::solve
