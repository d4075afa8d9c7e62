// SPDX-License-Identifier: Apache-2.0
#include "core/run/reserved_table.h"

#include "core/allocator/allocator_replay.h"
#include "core/run/device_run.h"
#include "core/run/will_run.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace plimsoll::run {

namespace {

constexpr std::int64_t kGrowth = 64; ///< a budget that doesn't suffice grows by one part of these

/// A budget at which the loop runs without cache flushes. Empty if stopped.
std::optional<base::Bytes> neededBy(const plan::VerifiedPlan& plan,
                                    const allocator::AllocatorSettings& settings,
                                    const base::JobContext& context)
{
    std::optional<base::Bytes> needed = reservedBy(plan, settings, context.stop);
    if (!settings.expandableSegments)
        return needed;
    while (needed) {
        const base::Result<RunStatus> status = runStatus(plan, settings, *needed, context);
        if (!status)
            return std::nullopt;
        if (*status == RunStatus::Runs)
            break;
        *needed += base::Bytes{needed->count() / kGrowth + 1};
    }
    return needed;
}

} // namespace

std::optional<std::size_t> ReservedTable::fastestWithin(base::Bytes budget) const
{
    for (std::size_t i = reserved.size(); i-- > 0;) // the fastest is the last
        if (reserved[i] <= budget && plans[i]->evaluation().peak <= budget)
            return i;
    return std::nullopt;
}

PlansByBudget plansByBudget(const ReservedTable& table)
{
    PlansByBudget plans;
    for (std::size_t i = table.plans.size(); i-- > 0;) { // the fastest first
        const plan::FrontierPoint& plan = table.plans[i];
        const base::Bytes budget = std::max(table.reserved[i], plan->evaluation().peak);
        if (plans.empty() || budget < plans.back().budget)
            plans.push_back({budget, plan});
    }
    std::ranges::reverse(plans);
    return plans;
}

PlansByBudget plansByBudget(const plan::Frontier& frontier)
{
    PlansByBudget plans;
    plans.reserve(frontier.points().size());
    for (const plan::FrontierPoint& point : frontier.points())
        plans.push_back({point->evaluation().peak, point});
    return plans;
}

std::optional<base::Bytes> reservedBy(const plan::VerifiedPlan& plan,
                                      const allocator::AllocatorSettings& settings,
                                      const std::stop_token& stop)
{
    const std::optional<DeviceRun> run =
        runLoop(plan, settings, allocator::AllocatorReplay::kUnlimited, stop);
    return run ? std::optional{run->reserved + plan.problem().reserve} : std::nullopt;
}

base::Result<ReservedTablePtr> reservedTable(plan::FrontierPtr frontier,
                                             const allocator::AllocatorSettings& settings,
                                             const ReservedTablePtr& known,
                                             const base::JobContext& context)
{
    std::unordered_map<const plan::Evaluation*, base::Bytes> before;
    if (known && known->settings == settings)
        for (std::size_t i = 0; i < known->reserved.size(); ++i)
            before.emplace(known->plans[i]->evaluationPtr().get(), known->reserved[i]);
    auto table = std::make_shared<ReservedTable>();
    table->plans = frontier->candidates();
    table->frontier = std::move(frontier);
    table->settings = settings;
    for (const plan::FrontierPoint& plan : table->plans) {
        context.report(table->reserved.size(), table->plans.size());
        const auto found = before.find(plan->evaluationPtr().get());
        const std::optional<base::Bytes> reserved = found != before.end()
                                                        ? std::optional{found->second}
                                                        : neededBy(*plan, settings, context);
        if (!reserved)
            return base::cancelled();
        table->reserved.push_back(*reserved);
    }
    return table;
}

} // namespace plimsoll::run
