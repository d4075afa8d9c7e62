// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "trunk": splitTrunk() over trunkLayers() at every number of buckets, all but the
/// last one checkpointed, each evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeTrunkPlanner();

} // namespace plimsoll::solve
