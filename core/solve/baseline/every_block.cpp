// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/blocks.h"
#include "core/solve/regions/run_plans.h"

#include <algorithm>

namespace plimsoll::solve {

namespace {

base::Result<void> addEveryBlock(const plan::Problem& problem, RunPlans& plans,
                                 const base::JobContext& /*job*/)
{
    std::vector<Siblings> blocks;
    for (const Siblings& family : graph::repeatedBlocks(*problem.step()))
        for (const graph::CallId call : family)
            blocks.push_back({call});
    std::ranges::sort(blocks); // calls are numbered as they begin
    return plans.addRuns(runsOf(*problem.step(), blocks));
}

} // namespace

std::unique_ptr<const Planner> makeEveryBlockPlanner()
{
    return makeRunPlanner(
        {"every-block",
         "Every block",
         "Checkpoints each repeated block: what gradient_checkpointing_enable() of Hugging Face "
         "does.",
         {},
         "Hugging Face transformers, gradient_checkpointing_enable().",
         {"Any choice: all blocks are checkpointed that no pin keeps, or none."}},
        addEveryBlock);
}

} // namespace plimsoll::solve
