// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/plan_diff.h"
#include "core/run/reserved_table.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::run {

/// The plan to take for a budget; empty: there is none.
[[nodiscard]] plan::FrontierPoint planFor(const PlansByBudget& plans, base::Bytes budget);

/// A smaller budget, and what its plan saves and costs.
struct NextPlan
{
    base::Bytes budget;
    plan::CheaperPlan way;
};

/// The cheapest next savings, as plan::cheapestPlans() has them, of the plans that are taken for
/// some budget below that of `present`. At most `count`, each smaller than the one before.
/// `rounded`: the budget that is offered for one from which on a plan is taken, at or above it.
[[nodiscard]] std::vector<NextPlan>
nextPlans(const PlansByBudget& plans, const plan::VerifiedPlan& present, std::size_t count,
          const std::function<base::Bytes(base::Bytes)>& rounded = {});

} // namespace plimsoll::run
