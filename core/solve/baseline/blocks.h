// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/solve/common/run_plans.h"

#include <vector>

namespace plimsoll::solve {

/// Calls of forward that have the same parent call, in order.
using Siblings = std::vector<graph::CallId>;

/// The repeated blocks of a model: sibling calls of one class that are numbered (`h.0`, `h.1`, …)
/// and made of other modules; lists and sequences of modules are none themselves. Of families that
/// lie in each other the outermost one; the largest by ops, and with it all others at the same
/// depth of module paths (encoder and decoder). In order of their first op; calls without ops don't
/// count.
[[nodiscard]] std::vector<Siblings> repeatedBlocks(const graph::Program& program);

/// What a user gives to checkpoint_sequential(): sibling calls that follow each other without an op
/// between, each taking what the one before returned. The largest chain of repeated blocks, if at
/// least half as many calls as the longest chain of any siblings, else that one (of equally long
/// ones the one with most ops). Empty without two such calls; calls without ops don't count.
[[nodiscard]] Siblings longestChain(const graph::Program& program);

/// By group: the ops from its first to its last call, as one piece.
[[nodiscard]] std::vector<std::vector<OpRun>> runsOf(const graph::Program& program,
                                                     const std::vector<Siblings>& groups);

} // namespace plimsoll::solve
