// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/repeated_blocks.h"
#include "core/solve/regions/run_plans.h"

#include <vector>

namespace plimsoll::solve {

using graph::Siblings;

/// The modules that a user would pass to checkpoint_sequential(): sibling calls without an op
/// between them, each of which takes what the previous one returned. The longest chain of repeated
/// blocks, if it has at least half as many calls as the longest chain of any siblings, else that
/// one (of equally long ones the one with most ops). Calls without ops don't count; empty without
/// two such calls.
[[nodiscard]] graph::Siblings longestChain(const graph::Program& program);

/// By group: the ops from its first to its last call.
[[nodiscard]] std::vector<std::vector<OpRun>> runsOf(const graph::Program& program,
                                                     const std::vector<graph::Siblings>& groups);

} // namespace plimsoll::solve
