// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

namespace plimsoll::plan {

/// The same problem for one process of several: the recorded ops with the memory that they take
/// there (PARALLEL.md), so that planners, bounds and evaluate() need to know nothing of the others.
/// verify() works that out once more, on its own. Of several processes the one with the most
/// optimizer state. A problem that is one of several processes already is made for the new setting.
/// Usage error, one sentence, for a step that can't run so: no gradients, micro-steps, no optimizer
/// to share out.
[[nodiscard]] base::Result<Problem> forRank(const Problem& problem, const DataParallel& setting);

/// Whether that goes with the recorded step, without doing it; the same errors.
[[nodiscard]] base::Result<void> canRunUnder(const graph::Program& recorded,
                                             const DataParallel& setting);

/// The problem of a process by itself: what is measured without others.
[[nodiscard]] Problem singleProcess(const Problem& problem);

} // namespace plimsoll::plan
