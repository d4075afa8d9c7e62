// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/offer.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::solve {

base::Result<void> offer(plan::Frontier& frontier, const plan::Problem& problem,
                         const plan::Plan& proposal)
{
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, proposal);
    // Most are dominated: those need no replay.
    if (evaluation->peak > problem.budget || !frontier.improvedBy(*evaluation))
        return {};
    base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, proposal);
    if (!verified)
        return base::failure(base::ErrorKind::Internal,
                             fmt::format("A plan that the planner {} made fails its check: {}",
                                         proposal.planner, verified.error().message));
    frontier.insert(*std::move(verified));
    return {};
}

} // namespace plimsoll::solve
