// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_settings.h"
#include "core/base/job_context.h"
#include "core/evaluate/frontier.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace plimsoll::run {

/// From which budget on a training loop with each candidate of a frontier runs without cache
/// flushes: what PyTorch's allocator reserves on a device without a limit. With less, by default
/// settings, it doesn't. So the table tells at once which plan to take for a budget. With
/// expandable segments, whose growth depends on the device's memory, it is a budget at which the
/// loop was seen to run; with others it may be different.
struct ReservedTable
{
    plan::FrontierPtr frontier;
    allocator::AllocatorSettings settings;
    std::vector<plan::FrontierPoint> plans; ///< the frontier's candidates(), the slowest first
    std::vector<base::Bytes> reserved;      ///< by plan; with the plan's reserve

    /// The place of the fastest plan that runs without cache flushes; empty: none does.
    [[nodiscard]] std::optional<std::size_t> fastestWithin(base::Bytes budget) const;
};

/// A plan, and the smallest budget for which it is the one to take.
struct PlanFrom
{
    base::Bytes budget;
    plan::FrontierPoint plan;
};
/// By rising budget, each faster than the one before.
using PlansByBudget = std::vector<PlanFrom>;

/// Where it is to run without cache flushes.
[[nodiscard]] PlansByBudget plansByBudget(const ReservedTable& table);
/// Where its peak is all that counts.
[[nodiscard]] PlansByBudget plansByBudget(const plan::Frontier& frontier);

using ReservedTablePtr = std::shared_ptr<const ReservedTable>;

/// What PyTorch's allocator reserves on a device without a limit, with the plan's reserve. Empty if
/// stopped.
[[nodiscard]] std::optional<base::Bytes> reservedBy(const plan::VerifiedPlan& plan,
                                                    const allocator::AllocatorSettings& settings,
                                                    const std::stop_token& stop);

/// Some milliseconds for each plan that `known`, of the same settings, doesn't have. Cancelled if
/// stopped.
[[nodiscard]] base::Result<ReservedTablePtr>
reservedTable(plan::FrontierPtr frontier, const allocator::AllocatorSettings& settings,
              const ReservedTablePtr& known, const base::JobContext& context);

} // namespace plimsoll::run
