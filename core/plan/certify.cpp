// SPDX-License-Identifier: Apache-2.0
#include "core/plan/certify.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::plan {

namespace {

tl::unexpected<base::Error> overBudget(base::Bytes peak, base::Bytes budget)
{
    return base::failure(base::ErrorKind::CheckFailed,
                         fmt::format("The plan needs {}, {} more than the budget.",
                                     base::bytesText(peak, base::Rounding::Up),
                                     base::bytesText(peak - budget, base::Rounding::Up)));
}

} // namespace

VerifiedPlan::VerifiedPlan(Problem problem, Plan plan, EvaluationPtr evaluation)
    : m_problem{std::move(problem)}, m_plan{std::move(plan)}, m_evaluation{std::move(evaluation)}
{
}

base::Result<VerifiedPlanPtr> certify(const Problem& problem, const Plan& plan)
{
    const Verification verification = verify(problem, plan);
    if (!verification.faults.empty())
        return base::failure(base::ErrorKind::CheckFailed, verification.faults.front().sentence);
    EvaluationPtr evaluation = evaluate(problem, plan);
    const std::vector<std::int64_t>& totals = evaluation->timeline->totals();
    for (std::size_t step = 0; step < totals.size(); ++step) {
        if (step < verification.liveBytes.size()
            && verification.liveBytes[step].count() == totals[step])
            continue;
        return base::failure(
            base::ErrorKind::CheckFailed,
            fmt::format(
                "The replay of the plan disagrees with its evaluation at step {} ({} against {}): "
                "the plan is refused; please report this graph.",
                step,
                step < verification.liveBytes.size()
                    ? base::exactBytesText(verification.liveBytes[step])
                    : std::string{"no step"},
                base::exactBytesText(base::Bytes{totals[step]})));
    }
    if (verification.liveBytes.size() != totals.size() || verification.peak != evaluation->peak)
        return base::failure(base::ErrorKind::CheckFailed,
                             "The replay of the plan runs other steps than its evaluation: the "
                             "plan is refused; please report this graph.");
    if (evaluation->peak > problem.budget)
        return overBudget(evaluation->peak, problem.budget);
    return VerifiedPlanPtr{new VerifiedPlan{problem, plan, std::move(evaluation)}};
}

base::Result<VerifiedPlanPtr> withBudget(const VerifiedPlan& plan, base::Bytes budget)
{
    if (plan.evaluation().peak > budget)
        return overBudget(plan.evaluation().peak, budget);
    auto copy = std::make_shared<VerifiedPlan>(plan);
    copy->m_problem.budget = budget;
    return copy;
}

} // namespace plimsoll::plan
