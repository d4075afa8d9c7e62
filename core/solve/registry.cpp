// SPDX-License-Identifier: Apache-2.0
#include "core/solve/registry.h"

#include "core/base/format.h"
#include "core/solve/auto/auto_planner.h"
#include "core/solve/baseline/baselines.h"
#include "core/solve/chain/chen_planner.h"
#include "core/solve/chain/rotor_planner.h"
#include "core/solve/chain/trunk_planner.h"
#include "core/solve/common/offer.h"
#include "core/solve/remat/capuchin_planner.h"
#include "core/solve/remat/remat_planner.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::solve {

namespace {

/// The planner "none": what happens without a plan.
class KeepEverything final : public Planner
{
public:
    KeepEverything()
        : Planner{{"none",
                   "None",
                   "Keeps everything: the step as it was recorded.",
                   {runtimeRecord()},
                   "PyTorch without a plan."}}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr>
    search(const plan::Problem& problem, const Options& options, const base::JobContext& /*job*/,
           const Listener& /*listener*/) const override
    {
        plan::Problem unlimited = problem;
        unlimited.budget = plan::kUnlimited;
        plan::Plan plan = plan::keepEverything();
        plan.options = optionTexts(descriptor(), options);
        plan.runtime = runtimeOf(descriptor(), options);
        plan::Frontier frontier;
        if (const base::Result<void> added = beginFrontier(frontier, unlimited, plan); !added)
            return tl::unexpected{added.error()};
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    }
};

/// The planner "remat" begins with what others have: rotor's plans between modules and between ops,
/// and Capuchin's.
std::unique_ptr<const Planner> makeRemat()
{
    std::vector<RematStart> starts;
    for (const std::int64_t granularity : {0, 1}) {
        starts.push_back({makeRotorPlanner(), {{"runtime", 1}, {"granularity", granularity}}});
        starts.push_back(
            {makeRotorPlanner(),
             {{"runtime", 0}, {"granularity", granularity}, {"saved-sets", granularity}}});
    }
    starts.push_back({makeCapuchinPlanner(), {}});
    return makeRematPlanner(std::move(starts));
}

/// Those that auto chooses from, in the order in which it prefers equal plans.
std::vector<std::unique_ptr<const Planner>> makeParts()
{
    std::vector<std::unique_ptr<const Planner>> all;
    all.push_back(makeRotorPlanner());
    all.push_back(makeRemat());
    all.push_back(makeChenPlanner());
    all.push_back(makeTrunkPlanner());
    all.push_back(makeCapuchinPlanner());
    all.push_back(makeEveryBlockPlanner());
    all.push_back(makeSequentialPlanner());
    all.push_back(makeTorchBudgetPlanner());
    return all;
}

std::vector<std::unique_ptr<const Planner>> makePlanners()
{
    std::vector<std::unique_ptr<const Planner>> parts = makeParts();
    std::vector<const Planner*> chosenFrom;
    chosenFrom.reserve(parts.size());
    for (const std::unique_ptr<const Planner>& part : parts)
        chosenFrom.push_back(part.get());
    std::vector<std::unique_ptr<const Planner>> all;
    all.push_back(makeAutoPlanner(std::move(chosenFrom)));
    for (std::unique_ptr<const Planner>& part : parts)
        all.push_back(std::move(part));
    all.push_back(std::make_unique<const KeepEverything>());
    return all;
}

} // namespace

const std::vector<std::unique_ptr<const Planner>>& planners()
{
    static const std::vector<std::unique_ptr<const Planner>> kAll = makePlanners();
    return kAll;
}

base::Result<const Planner*> findPlanner(std::string_view id)
{
    std::string known;
    for (const std::unique_ptr<const Planner>& planner : planners()) {
        if (planner->descriptor().id == id)
            return planner.get();
        known += (known.empty() ? "" : ", ") + planner->descriptor().id;
    }
    return base::failure(base::ErrorKind::Usage,
                         fmt::format("There is no planner \"{}\": choose one of {}.",
                                     base::printable(id, 40), known));
}

} // namespace plimsoll::solve
