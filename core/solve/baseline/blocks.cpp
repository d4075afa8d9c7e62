// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/blocks.h"

#include "core/base/try.h"
#include "core/solve/baseline/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::solve {

using graph::CallId;
using graph::Program;

namespace {

bool follows(const graph::Call& before, const graph::Call& after)
{
    return after.first == before.last + 1 && before.outputs.size() == 1 && !after.inputs.empty()
           && after.inputs.front() == before.outputs.front();
}

/// The longest chain among siblings; of equally long ones, the one with the most ops.
graph::Siblings chainIn(const Program& program, const graph::Siblings& siblings)
{
    graph::Siblings best;
    graph::Siblings chain;
    const auto rank = [&](const graph::Siblings& calls) {
        return std::pair{calls.size(), graph::opsOf(program, calls)};
    };
    for (const CallId call : siblings) {
        if (!chain.empty() && !follows(program.call(chain.back()), program.call(call)))
            chain.clear();
        chain.push_back(call);
        if (rank(chain) > rank(best))
            best = chain;
    }
    return best;
}

graph::Siblings longestOf(const Program& program, const std::vector<graph::Siblings>& groups)
{
    graph::Siblings best;
    for (const graph::Siblings& siblings : groups) {
        graph::Siblings chain = chainIn(program, siblings);
        if (std::pair{chain.size(), graph::opsOf(program, chain)}
            > std::pair{best.size(), graph::opsOf(program, best)})
            best = std::move(chain);
    }
    return best;
}

} // namespace

graph::Siblings longestChain(const Program& program)
{
    std::map<std::optional<CallId>, graph::Siblings> byParent;
    for (std::size_t index = 0; index < program.calls.size(); ++index)
        if (graph::isInForward(program, program.calls[index]))
            byParent[program.calls[index].parent].emplace_back(index);
    std::vector<graph::Siblings> groups;
    groups.reserve(byParent.size());
    for (auto& [parent, siblings] : byParent)
        groups.push_back(std::move(siblings));
    graph::Siblings any = longestOf(program, groups);
    graph::Siblings blocks = longestOf(program, graph::repeatedBlocks(program));
    graph::Siblings& chosen = 2 * blocks.size() >= any.size() ? blocks : any;
    return chosen.size() > 1 ? std::move(chosen) : graph::Siblings{};
}

std::vector<std::vector<OpRun>> runsOf(const Program& program,
                                       const std::vector<graph::Siblings>& groups)
{
    std::vector<std::vector<OpRun>> runs;
    runs.reserve(groups.size());
    for (const graph::Siblings& group : groups)
        runs.push_back({{program.call(group.front()).first, program.call(group.back()).last}});
    return runs;
}

namespace {

base::Result<void> addEveryBlock(const plan::Problem& problem, RunPlans& plans,
                                 const base::JobContext& /*job*/)
{
    std::vector<Siblings> blocks;
    for (const Siblings& family : graph::repeatedBlocks(*problem.step()))
        for (const graph::CallId call : family)
            blocks.push_back({call});
    std::ranges::sort(blocks); // calls are numbered in the order in which they begin
    return plans.addRuns(runsOf(*problem.step(), blocks));
}

} // namespace

std::unique_ptr<const Planner> makeEveryBlockPlanner()
{
    return makeRunPlanner(
        {"every-block",
         "Every block",
         "Checkpoints each repeated block, as Hugging Face's gradient_checkpointing_enable() does.",
         {},
         "Hugging Face transformers, gradient_checkpointing_enable().",
         {"Any choice of blocks: all that no pin keeps are checkpointed, or none."}},
        addEveryBlock);
}

namespace {

constexpr std::int64_t kMostSegments = 10000;

/// The checkpointed segments, all of the same length. The last segment takes the rest of the chain
/// and isn't checkpointed.
std::vector<Siblings> segmentsOf(const Siblings& chain, std::size_t segments)
{
    const auto length = static_cast<std::ptrdiff_t>(chain.size() / segments);
    std::vector<Siblings> groups;
    for (std::size_t segment = 0; segment + 1 < segments; ++segment) {
        const auto begin = chain.begin() + static_cast<std::ptrdiff_t>(segment) * length;
        groups.emplace_back(begin, begin + length);
    }
    return groups;
}

base::Result<void> addSegments(const plan::Problem& problem, RunPlans& plans,
                               const base::JobContext& job)
{
    const Siblings chain = longestChain(*problem.step());
    const auto asked = plans.options().get<std::size_t>("segments");
    if (asked > chain.size())
        return base::failure(
            base::ErrorKind::Usage,
            chain.empty()
                ? std::string{"The model has no chain of modules that checkpoint_sequential() "
                              "could take: leave --segments off."}
                : fmt::format("The model's longest chain has {} modules, too few for {} "
                              "segments: give --segments at most {}.",
                              chain.size(), asked, chain.size()));
    const std::size_t first = asked > 0 ? asked : 2; // a single one has no checkpoint
    const std::size_t last = asked > 0 ? asked : chain.size();
    for (std::size_t count = first; count <= last && !job.stopRequested(); ++count) {
        RETURN_IF_ERROR(plans.addRuns(runsOf(*problem.step(), segmentsOf(chain, count))));
        job.report(count, last);
    }
    return {};
}

} // namespace

std::unique_ptr<const Planner> makeSequentialPlanner()
{
    return makeRunPlanner({"sequential-k",
                           "Sequential",
                           "Checkpoints a chain of modules in equal segments, except the last one, "
                           "as PyTorch's checkpoint_sequential() does.",
                           {{.name = "segments",
                             .sentence = "Segments of the chain; 0 tries every number of them.",
                             .lower = 0,
                             .standard = 0,
                             .upper = kMostSegments}},
                           "PyTorch's torch.utils.checkpoint.checkpoint_sequential().",
                           {"Memory and times: segments have equal numbers of modules."}},
                          addSegments);
}

} // namespace plimsoll::solve
