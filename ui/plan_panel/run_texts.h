// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/run/choose_plan.h"
#include "core/solve/api/planner.h"
#include "core/workspace/planning.h"
#include "ui/plan_panel/verdict_box.h"

#include <QString>

namespace plimsoll::ui {

/// A sentence about a plan, and how good that is.
struct Judgement
{
    Verdict verdict = Verdict::Neutral;
    QString sentence;
};

/// Of a plan within the budget.
/// `leastBudget`: the smallest at which one of the known plans runs; empty: unknown.
[[nodiscard]] Judgement judge(const run::PlanChoice& choice, base::Bytes budget,
                              std::optional<base::Bytes> leastBudget);
/// Where memory runs out and how much there is, or how often the cache is emptied, and why a faster
/// plan was not taken; "" if there is nothing to tell.
[[nodiscard]] QString runDetails(const run::PlanChoice& choice);
/// How fast a plan could be at best, and below which budget there is none.
[[nodiscard]] QString boundsText(const workspace::Planned& planned, const solve::Outcome& outcome);

} // namespace plimsoll::ui
