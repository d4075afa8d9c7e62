// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/evaluate.h"
#include "core/verify/verify.h"

#include <memory>

namespace plimsoll::plan {

/// A plan that passed verify() and whose replayed curve equals the evaluated one at every step: the
/// only kind of plan that views and writers accept.
class VerifiedPlan
{
public:
    [[nodiscard]] const Problem& problem() const { return m_problem; }
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const Evaluation& evaluation() const { return *m_evaluation; }
    [[nodiscard]] const EvaluationPtr& evaluationPtr() const { return m_evaluation; }

private:
    friend base::Result<std::shared_ptr<const VerifiedPlan>>
    certify(const Problem& problem, const Plan& plan, EvaluationPtr evaluation);
    friend base::Result<std::shared_ptr<const VerifiedPlan>> withBudget(const VerifiedPlan& plan,
                                                                        base::Bytes budget);
    VerifiedPlan(Problem problem, Plan plan, EvaluationPtr evaluation);

    Problem m_problem;
    Plan m_plan;
    EvaluationPtr m_evaluation;
};

using VerifiedPlanPtr = std::shared_ptr<const VerifiedPlan>;

/// Whether the plan can run: it has no fault, except that it may exceed the budget or violate a
/// pin. evaluate() requires this.
[[nodiscard]] bool isLegal(const Verification& verification);

/// Whether the replay of a legal plan saw the evaluated bytes at every step. The two share no code,
/// so a difference is a bug in Plimsoll and never the plan's fault: an error of kind Internal.
[[nodiscard]] base::Result<void> agreement(const Verification& verification,
                                           const Evaluation& evaluation);

/// The only way to make a VerifiedPlan. Fails with CheckFailed and the first fault's sentence
/// (exceeding the budget is a fault), or with Internal if replay and evaluation disagree.
/// `evaluation`: what evaluate() says of them, if that is known already.
[[nodiscard]] base::Result<VerifiedPlanPtr> certify(const Problem& problem, const Plan& plan,
                                                    EvaluationPtr evaluation = {});

/// A copy for another budget, which the peak must not exceed; needs no new replay.
[[nodiscard]] base::Result<VerifiedPlanPtr> withBudget(const VerifiedPlan& plan,
                                                       base::Bytes budget);

} // namespace plimsoll::plan
