// SPDX-License-Identifier: Apache-2.0
#include "ui/models/plan_names.h"

#include "core/lower/lower.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>
#include <set>

namespace plimsoll::ui {

namespace {

QString planText(const char* text)
{
    return QCoreApplication::translate("PlanNames", text);
}

/// The results kept by all saved sets of a plan.
std::size_t keptIn(const plan::Plan& plan)
{
    std::size_t count = 0;
    for (const plan::Region& region : plan.regions())
        count += keptBy(region).size();
    return count;
}

QString resultsText(std::size_t count)
{
    return count == 1 ? planText("1 result") : planText("%1 results").arg(countText(count));
}

QString repeatsSentence(const plan::Plan& plan)
{
    const std::vector<int> movedBy = movedByRow(plan);
    const auto moved = static_cast<std::size_t>(std::accumulate(movedBy.begin(), movedBy.end(), 0));
    std::size_t executions = 0;
    for (const plan::RecomputeStep& again : plan.recomputeSteps())
        executions += again.ops.size();
    executions -= moved; // these aren't recomputations
    if (moved > 0)
        return planText("Runtime step: %1 ops run ahead of their place, %2 executions are "
                        "recomputations. Run it with plimsoll.compile_step(model, plan).")
            .arg(countText(moved), countText(executions));
    const QString what = executions == 1 ? planText("1 recomputation")
                                         : planText("%1 recomputations").arg(countText(executions));
    return planText(
               "Runtime step: %1, before %2 ops. Run it with plimsoll.compile_step(model, plan).")
        .arg(what, countText(plan.recomputeSteps().size()));
}

} // namespace

std::vector<int> movedByRow(const plan::Plan& plan)
{
    std::vector<int> moved;
    std::set<graph::OpId> ahead;
    for (const plan::RecomputeStep& again : plan.recomputeSteps())
        moved.push_back(static_cast<int>(std::ranges::count_if(again.ops, [&](graph::OpId op) {
            return op.index() > static_cast<std::size_t>(again.before) && ahead.insert(op).second;
        })));
    return moved;
}

std::vector<graph::OpId> keptBy(const plan::Region& region)
{
    std::vector<graph::OpId> kept = region.save;
    for (const plan::Region& nested : region.nested) {
        const std::vector<graph::OpId> inside = keptBy(nested);
        kept.insert(kept.end(), inside.begin(), inside.end());
    }
    return kept;
}

QString runtimeText(const plan::Plan& plan)
{
    if (plan.isCompiledStep())
        return planText("step");
    QString text = plan.granularity() == plan::Granularity::Op ? planText("checkpoint, ops")
                                                               : planText("checkpoint, modules");
    if (const std::size_t kept = keptIn(plan); kept > 0)
        text += planText(", %1 kept").arg(resultsText(kept));
    if (plan.freezeStats())
        text += planText(", statistics frozen");
    return text;
}

QString runtimeSentence(const plan::Plan& plan)
{
    if (plan.recomputesNothing())
        return {};
    if (plan.isCompiledStep())
        return repeatsSentence(plan);
    QString kept;
    if (const std::size_t count = keptIn(plan); count > 0)
        kept = planText(" that keep %1 inside").arg(resultsText(count));
    return (plan.granularity() == plan::Granularity::Op
                ? planText("Runtime checkpoint: regions of ops%1. Run it with "
                           "plimsoll.apply(model, plan).")
                : planText("Runtime checkpoint: regions of modules%1. Run it with "
                           "plimsoll.apply(model, plan)."))
               .arg(kept)
           + (plan.freezeStats() ? planText(" Recomputations leave batch norm's statistics alone.")
                                 : QString{});
}

QString noRegionsSentence(const plan::VerifiedPlan& plan)
{
    const std::string why =
        plan::whyNoRegions(*plan.problem().step(), plan.plan(), *plan.evaluation().schedule);
    return why.empty() ? QString{} : planText("No regions: %1").arg(fileText(why));
}

} // namespace plimsoll::ui
