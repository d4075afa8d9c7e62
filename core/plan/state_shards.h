// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan {

/// Leaves in the step what one of `world` processes has of the optimizer under ZeRO-1: states and
/// temporaries of its own parameters, and that part of the optimizer's time (SHARDS in
/// PARALLEL.md). It is the process that has the most.
void keepOwnShard(graph::Program& program, const std::vector<ReducedGradient>& gradients,
                  std::int64_t world);

} // namespace plimsoll::plan
