// SPDX-License-Identifier: Apache-2.0
#include "core/run/reserved_table.h"

#include "core/allocator/allocator_replay.h"
#include "core/run/device_run.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace plimsoll::run {

std::optional<std::size_t> ReservedTable::fastestWithin(base::Bytes budget) const
{
    for (std::size_t i = reserved.size(); i-- > 0;) // the fastest is the last
        if (reserved[i] <= budget && frontier->points()[i]->evaluation().peak <= budget)
            return i;
    return std::nullopt;
}

PlansByBudget plansByBudget(const ReservedTable& table)
{
    const std::vector<plan::FrontierPoint>& points = table.frontier->points();
    PlansByBudget plans;
    for (std::size_t i = points.size(); i-- > 0;) { // the fastest first
        const base::Bytes budget = std::max(table.reserved[i], points[i]->evaluation().peak);
        if (plans.empty() || budget < plans.back().budget)
            plans.push_back({budget, points[i]});
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

base::Result<ReservedTablePtr> reservedTable(plan::FrontierPtr frontier,
                                             const allocator::AllocatorSettings& settings,
                                             const ReservedTablePtr& known,
                                             const base::JobContext& context)
{
    std::unordered_map<const plan::Evaluation*, base::Bytes> before;
    if (known && known->settings == settings)
        for (std::size_t i = 0; i < known->reserved.size(); ++i)
            before.emplace(known->frontier->points()[i]->evaluationPtr().get(), known->reserved[i]);
    auto table = std::make_shared<ReservedTable>(ReservedTable{std::move(frontier), settings, {}});
    const std::vector<plan::FrontierPoint>& points = table->frontier->points();
    for (const plan::FrontierPoint& point : points) {
        context.report(table->reserved.size(), points.size());
        const auto found = before.find(point->evaluationPtr().get());
        if (found != before.end()) {
            table->reserved.push_back(found->second);
            continue;
        }
        const std::optional<DeviceRun> run =
            runLoop(*point, settings, allocator::AllocatorReplay::kUnlimited, context.stop);
        if (!run)
            return base::cancelled();
        table->reserved.push_back(run->reserved + point->problem().reserve);
    }
    return table;
}

} // namespace plimsoll::run
