// SPDX-License-Identifier: Apache-2.0
// The planners that auto runs, watched from outside.
#pragma once

#include "core/solve/auto/auto_planner.h"
#include "core/solve/registry.h"
#include "core/solve/remat/remat_planner.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::tests {

/// Wraps a planner of this build and remembers what it found; or refuses.
class Part final : public solve::Planner
{
public:
    /// `further` are options of the planner that auto doesn't know; `own` are those that auto
    /// always sets.
    explicit Part(const solve::Planner& planner, solve::Options further = {},
                  solve::Options own = {})
        : Planner{planner.descriptor()}
        , m_planner{planner}
        , m_further{std::move(further)}
        , m_own{std::move(own)}
    {
    }
    Part(const solve::Planner& planner, base::Error refusal)
        : Planner{planner.descriptor()}, m_planner{planner}, m_refusal{std::move(refusal)}
    {
    }

    [[nodiscard]] const plan::FrontierPtr& found() const { return m_found; }
    [[nodiscard]] const solve::Options& own() const { return m_own; }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr>
    search(const plan::Problem& problem, const solve::Options& options, const base::JobContext& job,
           const solve::Listener& /*listener*/) const override
    {
        if (!m_refusal.message.empty())
            return tl::unexpected{m_refusal};
        solve::Options all = m_further;
        all.insert(options.begin(), options.end());
        base::Result<plan::FrontierPtr> frontier = m_planner.frontier(problem, all, job);
        if (frontier)
            m_found = *frontier;
        return frontier;
    }

    const solve::Planner& m_planner;
    solve::Options m_further;
    solve::Options m_own;
    base::Error m_refusal;
    mutable plan::FrontierPtr m_found; ///< written by the one thread that runs it
};

inline const solve::Planner& planner(const char* id)
{
    return *solve::findPlanner(id).value();
}

using Parts = std::vector<std::unique_ptr<const Part>>;

/// The planners that auto runs in this build; `isQuick`: with few slots and points, and remat
/// without other planners' plans.
inline Parts allParts(bool isQuick = false)
{
    Parts parts;
    for (const solve::AutoPart& known : solve::autoParts()) {
        const solve::PlannerDescriptor& about = known.planner->descriptor();
        solve::Options further;
        for (const solve::OptionRecord& record : about.options)
            if (isQuick && (record.name == "slots" || record.name == "points"))
                further[record.name] = std::max<std::int64_t>(record.lower, 16);
        static const auto kAlone = solve::makeRematPlanner({});
        const bool isAlone = isQuick && about.id == "remat";
        parts.push_back(std::make_unique<const Part>(isAlone ? *kAlone : *known.planner,
                                                     std::move(further), known.own));
    }
    return parts;
}

inline std::unique_ptr<const solve::Planner> autoOf(const Parts& parts, std::size_t threads = 0)
{
    std::vector<solve::AutoPart> all;
    for (const auto& part : parts)
        all.push_back({part.get(), part->own()});
    return solve::makeAutoPlanner(std::move(all), threads);
}

} // namespace plimsoll::tests
