// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/capuchin/capuchin_planner.h"

#include "core/solve/api/certify_and_insert.h"
#include "core/solve/remat/capuchin/capuchin_run.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

/// Plans that are evaluated: prefixes of the picks that lie evenly over the peaks.
constexpr std::int64_t kMostPoints = 400;

PlannerDescriptor descriptorOfCapuchin()
{
    return {
        "capuchin",
        "Capuchin",
        "Recomputes single values, those of most memory per time first, as long as the step's "
        "peak falls.",
        {stepRuntimeRecord()},
        "Capuchin (ASPLOS 2020), its recomputation only, every choice simulated.",
        {"Moving values to the host.", "Letting go of what was recomputed before its last use."},
        true};
}

class CapuchinPlanner final : public Planner
{
public:
    CapuchinPlanner() : Planner{descriptorOfCapuchin()} {}

    [[nodiscard]] base::Result<std::vector<Pick>>
    explain(const plan::VerifiedPlan& plan) const override;

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override;
};

base::Result<plan::FrontierPtr> CapuchinPlanner::search(const plan::Problem& problem,
                                                        const Options& options,
                                                        const base::JobContext& job,
                                                        const Listener& listener) const
{
    plan::Problem unlimited = problem;
    unlimited.budget = plan::kUnlimited;
    plan::Plan plan = plan::keepEverything(plan::Runtime::CompiledStep);
    plan.planner = descriptor().id;
    plan.options = callOf(descriptor(), options).options;
    plan::Frontier frontier;
    if (const base::Result<void> begun = beginFrontier(frontier, unlimited, plan);
        !begun) // a step that the runner can't run at all
        return base::failure(begun.error().kind == base::ErrorKind::CheckFailed
                                 ? base::ErrorKind::Usage
                                 : begun.error().kind,
                             begun.error().message);
    const std::int64_t most = plan::evaluate(unlimited, plan)->peak.count();
    const std::int64_t least = plan::peakLowerBound(unlimited, plan.runtime()).bytes.count();
    const std::int64_t gap = (most - least) / kMostPoints;
    CapuchinRun run{unlimited};
    while (!job.stopRequested() && run.nextPinned()) {
    }
    if (!run.meetsPins())
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    std::int64_t last = most;
    bool goesOn = true;
    for (bool isFirst = !unlimited.pins.empty(); goesOn && !job.stopRequested(); isFirst = false) {
        goesOn = isFirst || run.next();
        if (run.changes().empty())
            continue;
        const std::int64_t peak = run.changes().back().peak.count();
        job.report(static_cast<std::size_t>(std::max<std::int64_t>(most - peak, 0)),
                   static_cast<std::size_t>(std::max(most - least, most - peak)));
        if (!isFirst && (peak == last || (goesOn && last - peak < gap)))
            continue;
        last = peak;
        plan.asSchedule().recomputeSteps = run.rows();
        if (base::Result<void> offered = certifyAndInsert(frontier, unlimited, plan, listener);
            !offered)
            return tl::unexpected{offered.error()};
    }
    return std::make_shared<const plan::Frontier>(std::move(frontier));
}

tl::unexpected<base::Error> notMade()
{
    return base::failure(base::ErrorKind::CheckFailed,
                         "The planner capuchin does not make this plan.");
}

/// Goes the same way again: choices don't depend on the budget, nor on when a search was stopped.
base::Result<std::vector<Pick>> CapuchinPlanner::explain(const plan::VerifiedPlan& plan) const
{
    const graph::Program& program = *plan.problem().step();
    CapuchinRun run{plan.problem()};
    while (run.nextPinned()) {
    }
    if (!run.meetsPins())
        return notMade();
    while (run.rows() != plan.plan().recomputeSteps())
        if (!run.next())
            return notMade();
    std::vector<Pick> picks;
    for (const CapuchinChange& change : run.changes()) {
        const graph::StorageId value{static_cast<std::size_t>(change.pick.value)};
        picks.push_back({value, graph::opAt(program.storage(value).alloc),
                         base::Bytes{change.pick.bytes},
                         base::Nanoseconds{std::llround(change.pick.recomputeTime)},
                         change.pick.multiplicity, change.pick.msps, change.peak});
    }
    return picks;
}

} // namespace

std::unique_ptr<const Planner> makeCapuchinPlanner()
{
    return std::make_unique<const CapuchinPlanner>();
}

} // namespace plimsoll::solve
