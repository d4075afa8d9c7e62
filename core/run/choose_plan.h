// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"
#include "core/run/reserved_table.h"
#include "core/run/will_run.h"

#include <cstddef>
#include <optional>

namespace plimsoll::run {

enum class Prefer {
    Runs,    ///< a plan that runs, without cache flushes if there is one
    Fastest, ///< the fastest whose peak is within the budget, whatever the allocator does
};

/// Plans within the budget that are faster than the chosen one, which the allocator makes slow or
/// impossible.
struct PassedOver
{
    std::size_t count = 0;
    plan::FrontierPoint fastest;
    std::optional<RunStatus> status; ///< of the fastest; choosePlan() knows it
};

/// The plan to take with expandable segments, and whether it runs then.
struct ExpandableChoice
{
    plan::FrontierPoint plan; ///< with its own budget
    RunStatus status = RunStatus::Fails;
};

/// A plan for a budget, and whether it runs.
struct PlanChoice
{
    plan::FrontierPoint plan;          ///< with the budget; empty: none is within it
    std::optional<RunVerdict> verdict; ///< of that plan; empty without one
    std::optional<PassedOver> passedOver;
    /// Where expandable segments, which weren't chosen, make more plans run: the one that is better
    /// with them, as it runs, needs no flushes, or is faster.
    std::optional<ExpandableChoice> expandable = {};

    /// Up to which peak other plans are comparable with this one: the budget, or, where faster
    /// plans don't run, what this one needs.
    [[nodiscard]] base::Bytes comparablePeak(base::Bytes budget) const
    {
        return passedOver ? plan->evaluation().peak : budget;
    }
};

/// Prefer::Runs: the fastest candidate within the budget that runs without cache flushes; else the
/// fastest that runs; else, as nothing runs, the fastest within the budget. Some milliseconds for
/// each plan that is passed over, unless `known`, a table of this frontier with these settings,
/// says which one to take. Cancelled if stopped.
[[nodiscard]] base::Result<PlanChoice> choosePlan(const plan::Frontier& frontier,
                                                  const allocator::AllocatorSettings& settings,
                                                  base::Bytes budget, Prefer prefer,
                                                  const base::JobContext& context,
                                                  const ReservedTablePtr& known = nullptr);

} // namespace plimsoll::run
