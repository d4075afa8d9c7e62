// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk/trunk_planner.h"

#include "core/base/format.h"
#include "core/solve/chain/trunk/trunk.h"
#include "core/solve/chain/trunk/trunk_boundaries.h"
#include "core/solve/chain/trunk/trunk_layers.h"
#include "core/solve/regions/run_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kMostSplits = 10000;

struct TrunkOptions : OptionReader
{
    explicit TrunkOptions(const OptionReader& given) : OptionReader{given} {}

    std::size_t splits = get<std::size_t>("splits"); ///< 0: every number of them
    std::string boundaries = get<std::string>("boundaries");
};

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

/// At which numbers of buckets to look, both inclusive.
struct Range
{
    std::size_t first = 0;
    std::size_t last = 0;
};

/// `asked`: 0 for every number.
base::Result<Range> rangeOf(std::size_t asked, const std::vector<TrunkBoundary>& boundaries)
{
    const TrunkBoundary& last = boundaries.back();
    if (asked > last.end)
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("The model's trunk has {} up to {}, too few for {} buckets: give --splits "
                        "at most {}.",
                        base::counted(last.end, "layer", "layers"), last.name, asked, last.end));
    if (asked > 0)
        return Range{asked, asked};
    // A single bucket is the last one; fewer than boundaries there can't be.
    return Range{std::max<std::size_t>(2, boundaries.size()), last.end};
}

base::Result<void> addTrunk(const plan::Problem& problem, RunPlans& plans,
                            const base::JobContext& job)
{
    const TrunkLayers layers = trunkLayers(*problem.step());
    std::vector<std::string> modules;
    modules.reserve(problem.step()->modules.size());
    for (const graph::Module& module : problem.step()->modules)
        modules.push_back(module.path);
    const TrunkOptions asked{plans.options()};
    const auto boundaries = trunkBoundaries(asked.boundaries, layers.elements, modules);
    if (!boundaries)
        return tl::unexpected{boundaries.error()};
    if (boundaries->empty())
        return {}; // forward calls no module
    const base::Result<Range> range = rangeOf(asked.splits, *boundaries);
    if (!range)
        return tl::unexpected{range.error()};
    for (std::size_t splits = range->first; splits <= range->last && !job.stopRequested();
         ++splits) {
        const std::vector<TrunkBucket> buckets = splitTrunk(layers.elements, *boundaries, splits);
        if (buckets.size() < splits && asked.splits == 0)
            break; // no cut is left
        if (base::Result<void> added = plans.addRuns(groupsOf(layers, buckets)); !added)
            return added;
        job.report(splits, range->last);
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
          textRecord(
              "boundaries", "Boundaries",
              "Modules behind which a bucket ends, separated by commas; what runs behind the "
              "last of them is in no bucket. Without any the trunk ends with its last layer.",
              "layer2,layer3.1"),
          frozenUnlessToldElse()},
         "VISSL's checkpoint_trunk().",
         {"Memory and times: layers are divided by their number.",
          "That layers behind the last boundary are dropped, as plimsoll.trunk does: they are in "
          "the recorded step, and run."}},
        addTrunk);
}

} // namespace plimsoll::solve
