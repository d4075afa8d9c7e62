// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

namespace plimsoll::plan {

/// The same problem for one rank: the recorded ops with the memory that they take there
/// (PARALLEL.md), so that planners, bounds and evaluate() need not know about the other ranks.
/// verify() derives the same independently. The rank is the one with the most optimizer state. A
/// problem that is already one of a rank is derived again for the new setting. Usage error, one
/// sentence, for a step that can't run this way: no gradients, micro-steps, no optimizer to shard.
[[nodiscard]] base::Result<Problem> forRank(const Problem& problem, const DataParallel& setting);

/// Whether the recorded step supports the setting, without deriving it; the same errors.
[[nodiscard]] base::Result<void> canRunUnder(const graph::Program& recorded,
                                             const DataParallel& setting);

/// The problem of a single process: what is measured without other ranks.
[[nodiscard]] Problem singleProcess(const Problem& problem);

} // namespace plimsoll::plan
