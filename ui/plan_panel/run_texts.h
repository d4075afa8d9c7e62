// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/run/will_run.h"
#include "core/solve/api/planner.h"
#include "core/workspace/planning.h"
#include "ui/plan_panel/verdict_box.h"

#include <QString>

#include <optional>

namespace plimsoll::ui {

/// A sentence about a plan, and how good that is.
struct Judgement
{
    Verdict verdict = Verdict::Neutral;
    QString sentence;
};

/// Whether the answer depends on the allocator of a GPU: a step for the CPU just fits.
[[nodiscard]] bool runsOnGpu(const plan::VerifiedPlan& plan);
/// Of a plan within the budget. `run`: empty until it is known.
[[nodiscard]] Judgement judge(const plan::VerifiedPlan& plan, base::Bytes budget,
                              const std::optional<run::RunVerdict>& run);
/// Where memory runs out and how much there is, or how often the cache is emptied; "" if neither.
[[nodiscard]] QString runDetails(const plan::VerifiedPlan& plan,
                                 const std::optional<run::RunVerdict>& run);
/// How fast a plan could be at best, and below which budget there is none.
[[nodiscard]] QString boundsText(const workspace::Planned& planned, const solve::Outcome& outcome);

} // namespace plimsoll::ui
