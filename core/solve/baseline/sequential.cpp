// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/flag_frontier.h"

#include <fmt/format.h>

#include <utility>

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

class SequentialK final : public Planner
{
public:
    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        const Siblings chain = longestChain(*problem.program);
        const auto asked = static_cast<std::size_t>(optionValue(m_descriptor, options, "segments"));
        if (asked > chain.size())
            return base::failure(
                base::ErrorKind::Usage,
                chain.empty()
                    ? std::string{"The model has no chain of modules that checkpoint_sequential() "
                                  "could take: leave --segments off."}
                    : fmt::format("The model's longest chain has {} modules, too few for {} "
                                  "segments: give --segments at most {}.",
                                  chain.size(), asked, chain.size()));
        FlagFrontier found{problem, m_descriptor, options};
        base::Result<void> added = found.addUnplanned();
        const std::size_t first = asked > 0 ? asked : 2; // one segment is the last: no checkpoint
        const std::size_t last = asked > 0 ? asked : chain.size();
        for (std::size_t count = first; count <= last && added && !job.stopRequested(); ++count) {
            added = found.addRegions(segmentsOf(chain, count));
            job.report(count, last);
        }
        if (!added)
            return tl::unexpected{added.error()};
        return std::move(found).take();
    }

private:
    PlannerDescriptor m_descriptor{
        "sequential-k",
        "Sequential",
        "Checkpoints a chain of modules in equal segments, the last one not: what PyTorch's "
        "checkpoint_sequential() does.",
        {{.name = "segments",
          .sentence = "Segments of the chain; 0 tries every number of them.",
          .lower = 0,
          .standard = 0,
          .upper = kMostSegments}},
        "PyTorch's torch.utils.checkpoint.checkpoint_sequential().",
        {"What the modules need: segments have equally many of them."}};
};

} // namespace

std::unique_ptr<const Planner> makeSequentialPlanner()
{
    return std::make_unique<const SequentialK>();
}

} // namespace plimsoll::solve
