// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk_planner.h"

#include "core/solve/chain/run_plans.h"
#include "core/solve/chain/trunk.h"
#include "core/solve/chain/trunk_layers.h"

#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

OptionRecord frozenUnlessToldElse()
{
    OptionRecord record = freezeStatsRecord();
    record.standard = 1; // as plimsoll.trunk.checkpoint_trunk() runs it
    return record;
}

class TrunkPlanner final : public Planner
{
public:
    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        RunPlans plans{problem, m_descriptor, options};
        base::Result<void> added = plans.addUnplanned();
        const TrunkLayers layers = trunkLayers(*problem.program);
        const std::size_t count = layers.elements.size();
        std::size_t splits = 2; // a single bucket is the last one: nothing is checkpointed
        for (; splits <= count && added && !job.stopRequested(); ++splits) {
            const std::vector<TrunkBucket> buckets =
                splitTrunk(layers.elements, {{layers.elements.back().name, count}}, splits);
            if (buckets.size() < splits)
                break;
            added = plans.add(groupsOf(layers, buckets));
            job.report(splits, count);
        }
        if (!added)
            return tl::unexpected{added.error()};
        return std::move(plans).take();
    }

private:
    /// All but the last bucket.
    [[nodiscard]] static std::vector<std::vector<OpRun>>
    groupsOf(const TrunkLayers& layers, const std::vector<TrunkBucket>& buckets)
    {
        std::vector<std::vector<OpRun>> groups;
        for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
            const auto begin = layers.ops.begin();
            groups.emplace_back(begin + static_cast<std::ptrdiff_t>(buckets[i].first),
                                begin + static_cast<std::ptrdiff_t>(buckets[i].end));
        }
        return groups;
    }

    PlannerDescriptor m_descriptor{
        "trunk",
        "Trunk",
        "Checkpoints a model's layers in buckets of equal number, the last one not, as VISSL "
        "splits trunks: what plimsoll.trunk.checkpoint_trunk() does.",
        {frozenUnlessToldElse()},
        "VISSL's checkpoint_trunk().",
        {"Memory and times: layers are divided by their number."}};
};

} // namespace

std::unique_ptr<const Planner> makeTrunkPlanner()
{
    return std::make_unique<const TrunkPlanner>();
}

} // namespace plimsoll::solve
