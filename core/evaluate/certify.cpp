// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/certify.h"

#include "core/base/format.h"
#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

tl::unexpected<base::Error> disagree(const std::string& where)
{
    return base::failure(base::ErrorKind::Internal,
                         fmt::format("The replay of the plan disagrees with its evaluation {}, so "
                                     "the plan is refused.",
                                     where));
}

} // namespace

VerifiedPlan::VerifiedPlan(Problem problem, Plan plan, EvaluationPtr evaluation)
    : m_problem{std::move(problem)}, m_plan{std::move(plan)}, m_evaluation{std::move(evaluation)}
{
}

bool isLegal(const Verification& verification)
{
    return std::ranges::all_of(verification.faults, [](const Fault& fault) {
        return fault.kind == FaultKind::OverBudget || fault.kind == FaultKind::PinViolated;
    });
}

base::Result<void> agreement(const Verification& verification, const Evaluation& evaluation)
{
    const std::vector<std::int64_t>& totals = evaluation.timeline->totals();
    const std::vector<base::Bytes>& replayed = verification.liveBytes;
    for (std::size_t step = 0; step < std::min(totals.size(), replayed.size()); ++step)
        if (replayed[step].count() != totals[step])
            return disagree(fmt::format("at step {} ({} against {})", step,
                                        base::exactBytesText(replayed[step]),
                                        base::exactBytesText(base::Bytes{totals[step]})));
    if (replayed.size() != totals.size())
        return disagree(fmt::format("about the number of steps ({} against {})", replayed.size(),
                                    totals.size()));
    if (verification.peak != evaluation.peak)
        return disagree(fmt::format("about the peak ({} against {})",
                                    base::exactBytesText(verification.peak),
                                    base::exactBytesText(evaluation.peak)));
    return {};
}

base::Result<VerifiedPlanPtr> certify(const Problem& problem, const Plan& plan,
                                      EvaluationPtr evaluation)
{
    const Verification verification = verify(problem, plan);
    if (isLegal(verification)) {
        if (!evaluation)
            evaluation = evaluate(problem, plan);
        RETURN_IF_ERROR(agreement(verification, *evaluation));
    }
    if (!verification.faults.empty())
        return base::failure(base::ErrorKind::CheckFailed, verification.faults.front().sentence);
    return VerifiedPlanPtr{new VerifiedPlan{problem, plan, std::move(evaluation)}};
}

base::Result<VerifiedPlanPtr> withBudget(const VerifiedPlan& plan, base::Bytes budget)
{
    if (const base::Bytes peak = plan.evaluation().peak; peak > budget)
        return base::failure(base::ErrorKind::CheckFailed,
                             fmt::format("The plan needs {}, {} more than the budget.",
                                         base::bytesText(peak, base::Rounding::Up),
                                         base::bytesText(peak - budget, base::Rounding::Up)));
    auto copy = std::make_shared<VerifiedPlan>(plan);
    copy->m_problem.budget = budget;
    return copy;
}

} // namespace plimsoll::plan
