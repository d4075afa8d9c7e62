// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/blocks.h"
#include "core/solve/regions/run_plans.h"

#include <fmt/format.h>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kMostSegments = 10000;

/// The checkpointed segments: all of the same length but the last one, which takes the rest of the
/// chain and isn't checkpointed.
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
    const std::size_t first = asked > 0 ? asked : 2; // one segment is the last: no checkpoint
    const std::size_t last = asked > 0 ? asked : chain.size();
    for (std::size_t count = first; count <= last && !job.stopRequested(); ++count) {
        if (base::Result<void> added =
                plans.addRuns(runsOf(*problem.step(), segmentsOf(chain, count)));
            !added)
            return added;
        job.report(count, last);
    }
    return {};
}

} // namespace

std::unique_ptr<const Planner> makeSequentialPlanner()
{
    return makeRunPlanner(
        {"sequential-k",
         "Sequential",
         "Checkpoints a chain of modules in equal segments, the last one not: what PyTorch's "
         "checkpoint_sequential() does.",
         {{.name = "segments",
           .sentence = "Segments of the chain; 0 tries every number of them.",
           .lower = 0,
           .standard = 0,
           .upper = kMostSegments}},
         "PyTorch's torch.utils.checkpoint.checkpoint_sequential().",
         {"What the modules need: segments have equally many of them."}},
        addSegments);
}

} // namespace plimsoll::solve
