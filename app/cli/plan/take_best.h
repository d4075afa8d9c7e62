// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/plan/plan_answer.h"

#include <string>

namespace plimsoll::cli {

/// What decides which of the plans within the budget is taken.
struct Taking
{
    std::string settings; ///< of the allocator, as text
    allocator::AllocatorSettings allocator;
    run::Prefer prefer = run::Prefer::Runs;
};

/// Fills in the outcome, whether its plan runs and, if none does, from which budget on one would.
/// Stopped before the allocator's answers are known, it takes the fastest plan within the budget.
void takeBest(Planning& planning, const plan::FrontierPtr& frontier, const Taking& taking,
              const base::JobContext& context);

} // namespace plimsoll::cli
