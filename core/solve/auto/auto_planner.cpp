// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/auto_planner.h"

#include "core/solve/auto/auto_run.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Of the planners that have them: what they may do, and how hard they look.
constexpr std::array kAdopted{"slots", "points", "ways", "saved-sets", "reorder"};

const OptionRecord* recordOf(const std::vector<AutoPart>& parts, std::string_view name)
{
    for (const AutoPart& part : parts)
        for (const OptionRecord& record : part.planner->descriptor().options)
            if (record.name == name)
                return &record;
    return nullptr;
}

/// On where a part of its own has it on: that one runs unless told else.
std::int64_t standardOf(const std::vector<AutoPart>& parts, const OptionRecord& record)
{
    const bool isPart =
        isSwitch(record) && std::any_of(parts.begin(), parts.end(), [&](const AutoPart& part) {
            const auto own = part.own.find(record.name);
            return own != part.own.end() && own->second != defaultValue(record);
        });
    return isPart ? record.upper : record.standard;
}

PlannerDescriptor descriptorOfAuto(const std::vector<AutoPart>& parts)
{
    std::vector<OptionRecord> options;
    for (const char* name : kAdopted)
        if (const OptionRecord* record = recordOf(parts, name)) {
            options.push_back(*record);
            options.back().standard = standardOf(parts, *record);
        }
    options.push_back(granularityRecord());
    options.push_back(freezeStatsRecord());
    options.push_back(runtimeRecord());
    return {
        "auto",
        "Auto",
        "Runs the planners that are fit for the runtime, the regions and the statistics asked "
        "for side by side, rotor also with several ways of a stage, and takes the best of their "
        "plans for every budget.",
        std::move(options),
        "The planners whose plans it takes: each plan names the one that made it.",
        {"Options that it does not list: they stay at the planners' defaults, but for rotor's "
         "nonpersistent, which it tries in the runtime step.",
         "Parts of plans by different planners put together into one."}};
}

class AutoPlanner final : public Planner
{
public:
    AutoPlanner(std::vector<AutoPart> parts, std::size_t threads)
        : Planner{descriptorOfAuto(parts)}
        , m_parts{std::move(parts)}
        , m_threads{threads > 0 ? threads
                                : std::max<std::size_t>(1, std::thread::hardware_concurrency())}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override
    {
        Options demanded = options;
        demanded.erase("saved-sets"); // who has none in this runtime takes no part
        if (base::Result<void> takes = checkRuntime(descriptor(), demanded); !takes)
            return tl::unexpected{takes.error()};
        const FitPlanners parts = fitPlanners(m_parts, descriptor(), options);
        if (parts.fit.empty())
            return base::failure(base::ErrorKind::Usage,
                                 "No planner takes all of these options together: leave some of "
                                 "them off.");
        return AutoRun{problem, descriptor(), options, job, listener}.run(parts, m_threads);
    }

    std::vector<AutoPart> m_parts;
    std::size_t m_threads;
};

} // namespace

std::unique_ptr<const Planner> makeAutoPlanner(std::vector<AutoPart> parts, std::size_t threads)
{
    return std::make_unique<const AutoPlanner>(std::move(parts), threads);
}

} // namespace plimsoll::solve
