// SPDX-License-Identifier: Apache-2.0
#include "core/solve/api/certify_and_insert.h"

#include "core/base/try.h"
#include "core/plan/pins.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace plimsoll::solve {

base::Result<void> certifyAndInsert(plan::Frontier& frontier, const plan::Problem& problem,
                                    const plan::Plan& proposal, const Listener& listener,
                                    std::shared_ptr<const plan::Provenance> provenance)
{
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, proposal);
    // Most proposals are dominated; skip the replay for those.
    if (evaluation->peak > problem.budget || !frontier.improvedBy(*evaluation)
        || !plan::honoursPins(problem, *evaluation->schedule))
        return {};
    base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, proposal, evaluation);
    if (!verified)
        return base::failure(base::ErrorKind::Internal,
                             fmt::format("A plan that the planner {} made fails its check: {}",
                                         proposal.planner, verified.error().message));
    frontier.insert(provenance ? plan::FrontierPoint{*std::move(verified), std::move(provenance)}
                               : plan::FrontierPoint{*std::move(verified)});
    if (listener)
        listener(std::make_shared<const plan::Frontier>(frontier));
    return {};
}

base::Result<void> beginFrontier(plan::Frontier& frontier, const plan::Problem& problem,
                                 const plan::Plan& everything)
{
    frontier.setRuntime(everything.runtime());
    if (!everything.isCompiledStep() && everything.granularity() == plan::Granularity::Op) {
        plan::Plan between = everything;
        between.asRegions().granularity = plan::Granularity::Module;
        RETURN_IF_ERROR(beginFrontier(frontier, problem, between));
    }
    plan::Problem unpinned = problem;
    unpinned.pins.clear();
    ASSIGN_OR_RETURN(plan::VerifiedPlanPtr verified, plan::certify(unpinned, everything));
    if (problem.pins.empty())
        frontier.insert(std::move(verified));
    else
        return certifyAndInsert(frontier, problem, everything);
    return {};
}

} // namespace plimsoll::solve
