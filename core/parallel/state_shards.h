// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::plan {

/// What a process keeps of something that has so many bytes and belongs to a parameter, which is
/// told by the index of its gradient.
using PartOf = std::function<base::Bytes(std::size_t gradient, base::Bytes bytes)>;

/// Leaves that part of the optimizer's states and temporaries, and of its time (SHARDS in
/// PARALLEL.md).
void keepPart(graph::Program& program, const std::vector<ReducedGradient>& gradients,
              const PartOf& partOf);

/// Leaves in the step what one of `world` processes has of the optimizer under ZeRO-1: states and
/// temporaries of its own parameters, and that part of the optimizer's time (SHARDS in
/// PARALLEL.md). It is the process that has the most.
void keepOwnShard(graph::Program& program, const std::vector<ReducedGradient>& gradients,
                  std::int64_t world);

} // namespace plimsoll::plan
