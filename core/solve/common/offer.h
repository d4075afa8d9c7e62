// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/frontier.h"

namespace plimsoll::solve {

/// Puts what a planner proposes into the frontier where it improves on what is there. A proposal
/// over the problem's budget is dropped. One that fails its check is a bug of the planner or of the
/// check and is never dropped silently: an error of kind Internal, whose sentence holds the fault.
[[nodiscard]] base::Result<void> offer(plan::Frontier& frontier, const plan::Problem& problem,
                                       const plan::Plan& proposal);

} // namespace plimsoll::solve
