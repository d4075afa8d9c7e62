// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/solve/chain/trunk/trunk.h"
#include "core/solve/regions/run_plans.h"

#include <vector>

namespace plimsoll::solve {

/// The layers of a model's trunk, in the order in which they run.
struct TrunkLayers
{
    std::vector<TrunkElement> elements; ///< names are paths of modules
    std::vector<OpRun> ops;             ///< by element
};

/// Children of the model as forward calls them, those without ops left out. A child with more than
/// half of the forward ops of all is taken apart into its own children, as often as there is one;
/// then each stage, a child that is nothing but a row of at least two others, is. An element that
/// overwrites what existed before it (op by op, not by its name; running statistics don't count)
/// may not begin a bucket.
[[nodiscard]] TrunkLayers trunkLayers(const graph::Program& program);

} // namespace plimsoll::solve
