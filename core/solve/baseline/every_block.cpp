// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/flag_frontier.h"

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

namespace {

class EveryBlock final : public Planner
{
public:
    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        FlagFrontier found{problem, m_descriptor, options};
        base::Result<void> added = found.addUnplanned();
        if (added && !job.stopRequested()) {
            std::vector<Siblings> blocks;
            for (const Siblings& family : repeatedBlocks(*problem.program))
                for (const graph::CallId call : family)
                    blocks.push_back({call});
            std::ranges::sort(blocks); // calls are numbered as they begin
            added = found.addRegions(blocks);
        }
        if (!added)
            return tl::unexpected{added.error()};
        return std::move(found).take();
    }

private:
    PlannerDescriptor m_descriptor{
        "every-block",
        "Every block",
        "Checkpoints each repeated block: what gradient_checkpointing_enable() of Hugging Face "
        "does.",
        {},
        "Hugging Face transformers, gradient_checkpointing_enable().",
        {"Any choice: all blocks are checkpointed, or none."}};
};

} // namespace

std::unique_ptr<const Planner> makeEveryBlockPlanner()
{
    return std::make_unique<const EveryBlock>();
}

} // namespace plimsoll::solve
