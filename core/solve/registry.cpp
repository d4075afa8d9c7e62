// SPDX-License-Identifier: Apache-2.0
#include "core/solve/registry.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/solve/auto/auto_planner.h"
#include "core/solve/baseline/baselines.h"
#include "core/solve/chain/chen.h"
#include "core/solve/chain/rotor_planner.h"
#include "core/solve/chain/trunk.h"
#include "core/solve/remat/capuchin/capuchin_planner.h"
#include "core/solve/remat/remat_planner.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::solve {

namespace {

/// The planner "none": the step without a plan.
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
        plan::Plan plan = plan::keepEverything(runtimeOf(descriptor(), options));
        plan.options = callOf(descriptor(), options).options;
        plan::Frontier frontier;
        RETURN_IF_ERROR(beginFrontier(frontier, unlimited, plan));
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    }
};

/// The planner "remat" starts from plans of rotor, between modules and between ops, and Capuchin.
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

/// The planners that auto chooses from.
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

/// Planner ids with the options that each one always has, in the order of autoParts().
const std::vector<std::pair<std::string, Options>>& autoCalls()
{
    static const std::vector<std::pair<std::string, Options>> kCalls{
        {"rotor", {{"granularity", 0}, {"ways", 0}}},
        {"remat", {{"granularity", 0}}},
        {"chen", {}},
        {"trunk", {}},
        {"capuchin", {}},
        {"every-block", {}},
        {"sequential-k", {}},
        {"torch-budget", {}},
        {"rotor", {{"granularity", 0}, {"ways", 1}, {"runtime", 0}}},
        {"rotor", {{"granularity", 0}, {"nonpersistent", 1}, {"runtime", 1}}},
        {"rotor", {{"granularity", 1}}},
        // A compiled step has no regions.
        {"remat", {{"granularity", 1}, {"runtime", 0}}},
    };
    return kCalls;
}

/// All planners, and the parts that the first of them, auto, runs.
struct Registry
{
    Registry()
    {
        std::vector<std::unique_ptr<const Planner>> others = makeParts();
        for (const auto& [id, own] : autoCalls())
            for (const std::unique_ptr<const Planner>& planner : others)
                if (planner->descriptor().id == id)
                    autoParts.push_back({planner.get(), own});
        planners.push_back(makeAutoPlanner(autoParts));
        for (std::unique_ptr<const Planner>& planner : others)
            planners.push_back(std::move(planner));
        planners.push_back(std::make_unique<const KeepEverything>());
    }

    std::vector<std::unique_ptr<const Planner>> planners;
    std::vector<AutoPart> autoParts;
};

const Registry& registry()
{
    static const Registry kRegistry;
    return kRegistry;
}

} // namespace

const std::vector<std::unique_ptr<const Planner>>& planners()
{
    return registry().planners;
}

const std::vector<AutoPart>& autoParts()
{
    return registry().autoParts;
}

std::string makerCall(const plan::Provenance& provenance)
{
    const auto& [id, options] = provenance.madeBy();
    const base::Result<const Planner*> maker = findPlanner(id);
    return maker ? callText((*maker)->descriptor(), options) : id;
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
