// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk_planner.h"

#include "core/base/format.h"
#include "core/solve/chain/trunk.h"
#include "core/solve/chain/trunk_layers.h"
#include "core/solve/common/run_plans.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kMostSplits = 10000;

OptionRecord frozenUnlessToldElse()
{
    OptionRecord record = freezeStatsRecord();
    record.standard = 1; // as plimsoll.trunk.checkpoint_trunk() runs it
    return record;
}

/// All but the last bucket.
std::vector<std::vector<OpRun>> groupsOf(const TrunkLayers& layers,
                                         const std::vector<TrunkBucket>& buckets)
{
    std::vector<std::vector<OpRun>> groups;
    for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
        const auto begin = layers.ops.begin();
        groups.emplace_back(begin + static_cast<std::ptrdiff_t>(buckets[i].first),
                            begin + static_cast<std::ptrdiff_t>(buckets[i].end));
    }
    return groups;
}

base::Result<void> addTrunk(const plan::Problem& problem, RunPlans& plans,
                            const base::JobContext& job)
{
    const TrunkLayers layers = trunkLayers(*problem.program);
    const std::size_t count = layers.elements.size();
    const auto asked = static_cast<std::size_t>(plans.option("splits"));
    const std::size_t first = asked > 0 ? asked : 2; // a single bucket is the last one
    const std::size_t last = asked > 0 ? asked : count;
    if (asked > count)
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format(
                "The model's trunk has {}, too few for {} buckets: give --splits at most {}.",
                base::counted(count, "layer", "layers"), asked, count));
    for (std::size_t splits = first; splits <= last && !job.stopRequested(); ++splits) {
        const std::vector<TrunkBucket> buckets =
            splitTrunk(layers.elements, {{layers.elements.back().name, count}}, splits);
        if (buckets.size() < splits && asked == 0)
            break; // no cut is left
        if (base::Result<void> added = plans.addRuns(groupsOf(layers, buckets)); !added)
            return added;
        job.report(splits, count);
    }
    return {};
}

} // namespace

std::unique_ptr<const Planner> makeTrunkPlanner()
{
    return makeRunPlanner(
        {"trunk",
         "Trunk",
         "Checkpoints a model's layers in buckets of equal number, the last one not, as VISSL "
         "splits trunks: what plimsoll.trunk.checkpoint_trunk() does.",
         {{.name = "splits",
           .sentence = "Buckets into which the layers are divided; 0 tries every number of them.",
           .lower = 0,
           .standard = 0,
           .upper = kMostSplits},
          frozenUnlessToldElse()},
         "VISSL's checkpoint_trunk().",
         {"Memory and times: layers are divided by their number.",
          "Boundaries inside the trunk: only its end is one (plimsoll.trunk takes names)."}},
        addTrunk);
}

} // namespace plimsoll::solve
