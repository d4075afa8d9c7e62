// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/repeated_blocks.h"
#include "core/solve/regions/run_plans.h"

#include <vector>

namespace plimsoll::solve {

using graph::Siblings;

/// What a user gives to checkpoint_sequential(): sibling calls that follow each other without an op
/// between, each taking what the one before returned. The largest chain of repeated blocks, if at
/// least half as many calls as the longest chain of any siblings, else that one (of equally long
/// ones the one with most ops). Empty without two such calls; calls without ops don't count.
[[nodiscard]] graph::Siblings longestChain(const graph::Program& program);

/// By group: the ops from its first to its last call, as one piece.
[[nodiscard]] std::vector<std::vector<OpRun>> runsOf(const graph::Program& program,
                                                     const std::vector<graph::Siblings>& groups);

} // namespace plimsoll::solve
