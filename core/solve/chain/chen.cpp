// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/chen.h"

#include "core/base/try.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"
#include "core/solve/regions/run_plans.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace plimsoll::solve {

std::vector<StageRun> chenRuns(const std::vector<std::int64_t>& kept, std::int64_t limit)
{
    std::vector<StageRun> runs;
    std::int64_t sum = 0;
    std::size_t first = 0;
    for (std::size_t stage = 0; stage < kept.size(); ++stage) {
        sum += kept[stage];
        if (sum <= limit && stage + 1 < kept.size())
            continue;
        runs.push_back({first, stage + 1});
        first = stage + 1;
        sum = 0;
    }
    return runs;
}

std::vector<std::vector<StageRun>> everyChenDivision(const std::vector<std::int64_t>& kept)
{
    std::vector<std::vector<StageRun>> all;
    for (std::int64_t limit = 0;;) {
        std::vector<StageRun> runs = chenRuns(kept, limit);
        // The division changes only once the limit reaches the smallest sum of a run.
        std::int64_t next = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
            const auto at = [&kept](std::size_t stage) {
                return kept.begin() + static_cast<std::ptrdiff_t>(stage);
            };
            next = std::min(next,
                            std::accumulate(at(runs[i].first), at(runs[i].end), std::int64_t{0}));
        }
        const bool isLast = runs.size() <= 1;
        all.push_back(std::move(runs));
        if (isLast)
            return all;
        limit = next;
    }
}

namespace {

using Groups = std::vector<std::vector<OpRun>>;

/// The ops of the first `count` runs, stage by stage.
Groups groupsOf(const LinearizedStep& step, const std::vector<StageRun>& runs, std::size_t count)
{
    Groups groups;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<OpRun>& pieces = groups.emplace_back();
        for (std::size_t stage = runs[i].first; stage < runs[i].end; ++stage)
            pieces.push_back({step.stages[stage].first, step.stages[stage].last});
    }
    return groups;
}

/// Adds each division twice: with its last run kept, since it would be recomputed just when its
/// memory is needed, and with it checkpointed like the others. Evaluation on the full graph
/// decides.
base::Result<void> addDivisions(const LinearizedStep& step, RunPlans& plans,
                                const base::JobContext& job)
{
    const std::vector<std::int64_t> kept{step.chain.xbar.begin() + 1, step.chain.xbar.end()};
    const std::vector<std::vector<StageRun>> divisions = everyChenDivision(kept);
    for (std::size_t done = 0; done < divisions.size() && !job.stopRequested(); ++done) {
        const std::vector<StageRun>& runs = divisions[done];
        for (const std::size_t count : {runs.size() - 1, runs.size()})
            RETURN_IF_ERROR(plans.addRuns(groupsOf(step, runs, count)));
        job.report(done + 1, divisions.size());
    }
    return {};
}

base::Result<void> addChen(const plan::Problem& problem, RunPlans& plans,
                           const base::JobContext& job)
{
    const std::unique_ptr<const RegionSpace> space =
        makeRegionSpace(problem, plan::Granularity::Module);
    return linearize(problem, *space, Residuals::EachCut).and_then([&](const LinearizedStep& step) {
        return addDivisions(step, plans, job);
    });
}

} // namespace

std::unique_ptr<const Planner> makeChenPlanner()
{
    return makeRunPlanner(
        {"chen",
         "Chen",
         "Checkpoints runs of modules that keep about equal memory (Chen et al. 2016): every "
         "division that its greedy search can make, evaluated on the full graph.",
         {freezeStatsRecord()},
         "Training deep nets with sublinear memory cost (arXiv 1604.06174), its Algorithm 3.",
         {"Times: runs of modules are divided by memory alone.", "Nested regions."}},
        addChen);
}

} // namespace plimsoll::solve
