// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/regions/linearize.h"

#include <vector>

namespace plimsoll::solve {

/// Checkpointing without nesting, counted on storages: disjoint legal runs of stages, and what
/// backward then no longer finds kept when it starts. A chain has to charge a residual to every cut
/// that it crosses or to the first one only; here each storage counts once, where its last saving
/// op stands. What recomputation itself needs is left to the evaluation on the full graph.
///
/// One entry per useful amount of bytes: the runs that spare so much with the least forward time to
/// repeat. In order of the bytes spared, without the empty choice. Stopped early: none.
[[nodiscard]] std::vector<std::vector<Region>> singleLevelRegions(const plan::Problem& problem,
                                                                  const LinearizedStep& step,
                                                                  const base::JobContext& job);

} // namespace plimsoll::solve
