// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/auto_planner.h"

#include "core/solve/auto/auto_run.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace plimsoll::solve {

namespace {

PlannerDescriptor descriptorOfAuto()
{
    return {"auto",
            "Auto",
            "Runs the planners that are fit for the runtime and options asked for side by side, "
            "and takes the best of their plans for every budget.",
            {granularityRecord(), savedSetsRecord(), freezeStatsRecord(), runtimeRecord()},
            "The planners whose plans it takes: each plan names the one that made it.",
            {"Options that only one of those planners has: they stay at their defaults.",
             "Parts of plans by different planners put together into one."}};
}

class AutoPlanner final : public Planner
{
public:
    AutoPlanner(std::vector<const Planner*> parts, std::size_t threads)
        : m_parts{std::move(parts)}
        , m_threads{threads > 0 ? threads
                                : std::max<std::size_t>(1, std::thread::hardware_concurrency())}
    {
    }

    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        return watchedFrontier(problem, options, job, {});
    }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    watchedFrontier(const plan::Problem& problem, const Options& options,
                    const base::JobContext& job, const Listener& listener) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        const std::vector<FitPlanner> fit = fitPlanners(m_parts, m_descriptor, options);
        if (fit.empty())
            return base::failure(base::ErrorKind::Usage,
                                 "No planner takes all of these options together: leave some of "
                                 "them off.");
        return AutoRun{problem, m_descriptor, options, job, listener}.run(fit, m_threads);
    }

private:
    PlannerDescriptor m_descriptor = descriptorOfAuto();
    std::vector<const Planner*> m_parts;
    std::size_t m_threads;
};

} // namespace

std::unique_ptr<const Planner> makeAutoPlanner(std::vector<const Planner*> parts,
                                               std::size_t threads)
{
    return std::make_unique<const AutoPlanner>(std::move(parts), threads);
}

} // namespace plimsoll::solve
