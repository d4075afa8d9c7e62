// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/evaluate.h"
#include "core/verify/verify.h"

#include <memory>

namespace plimsoll::plan {

/// A plan that passed verify() and whose replayed curve equals the evaluated one at every step: all
/// that views and writers take.
class VerifiedPlan
{
public:
    [[nodiscard]] const Problem& problem() const { return m_problem; }
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const Evaluation& evaluation() const { return *m_evaluation; }
    [[nodiscard]] const EvaluationPtr& evaluationPtr() const { return m_evaluation; }

private:
    friend base::Result<std::shared_ptr<const VerifiedPlan>> certify(const Problem& problem,
                                                                     const Plan& plan);
    friend base::Result<std::shared_ptr<const VerifiedPlan>> withBudget(const VerifiedPlan& plan,
                                                                        base::Bytes budget);
    VerifiedPlan(Problem problem, Plan plan, EvaluationPtr evaluation);

    Problem m_problem;
    Plan m_plan;
    EvaluationPtr m_evaluation;
};

using VerifiedPlanPtr = std::shared_ptr<const VerifiedPlan>;

/// Whether the plan can run: it has no fault, but that it may need more than the budget or violate
/// a pin. Only then evaluate() takes it.
[[nodiscard]] bool isLegal(const Verification& verification);

/// Whether the replay of a legal plan saw the bytes that were evaluated, at every step. They share
/// no code, so a difference is a bug of ours and never the plan's fault: an error of kind Internal.
[[nodiscard]] base::Result<void> agreement(const Verification& verification,
                                           const Evaluation& evaluation);

/// The only way to a VerifiedPlan. CheckFailed with the first fault's sentence otherwise; over
/// budget is such a fault. Internal where replay and evaluation disagree.
[[nodiscard]] base::Result<VerifiedPlanPtr> certify(const Problem& problem, const Plan& plan);

/// A copy for another budget, which its peak must not exceed: no new replay is needed for that.
[[nodiscard]] base::Result<VerifiedPlanPtr> withBudget(const VerifiedPlan& plan,
                                                       base::Bytes budget);

} // namespace plimsoll::plan
