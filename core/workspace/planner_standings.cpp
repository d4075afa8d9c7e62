// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planner_standings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace plimsoll::workspace {

namespace {

using plan::PartReport;
using plan::PartState;

/// Of the planner that was asked.
PartReport reportOf(const Planned& planned)
{
    PartReport report{planned.choices.planner};
    report.found = plan::partPoints(*planned.frontier);
    report.took = planned.took;
    if (planned.took.count() > 0)
        report.state = PartState::Over;
    else if (report.found.size() > 1) // more than every document begins with
        report.state = PartState::Stopped;
    else
        report.found.clear();
    return report;
}

std::optional<PartReport> find(const std::vector<PartReport>& reports, const std::string& planner)
{
    const auto found =
        std::find_if(reports.begin(), reports.end(),
                     [&planner](const PartReport& report) { return report.planner == planner; });
    return found != reports.end() ? std::optional{*found} : std::nullopt;
}

std::vector<PartReport> partsOf(const Planned* planned)
{
    return planned != nullptr && planned->frontier->parts() ? planned->frontier->parts()->read()
                                                            : std::vector<PartReport>{};
}

base::Nanoseconds unplannedOf(const Planned& planned)
{
    return planned.unplanned->evaluation().stepTime;
}

/// What it found when it, or one that ran it, was asked under else equal choices.
std::optional<PlannerStanding> before(const std::string& planner, const Choices& choices,
                                      const std::vector<PlannedPtr>& known)
{
    for (const PlannedPtr& planned : known) {
        Choices same = choices;
        same.planner = planned->choices.planner;
        if (same != planned->choices)
            continue;
        std::optional<PartReport> report =
            same.planner == planner ? reportOf(*planned) : find(partsOf(planned.get()), planner);
        if (report && report->state == PartState::Over)
            return PlannerStanding{*std::move(report), false, false, unplannedOf(*planned)};
    }
    return std::nullopt;
}

/// Of the planner that is chosen, where its plans are shown or being looked for.
std::optional<PlannerStanding> ofChosen(const Choices& choices, const PlanningJob& job,
                                        const Planned& shown)
{
    const bool isShown = shown.choices == choices;
    if (!isShown && !job.isRunning && job.refusal.empty())
        return std::nullopt;
    PlannerStanding standing{PartReport{choices.planner}, true, true};
    if (isShown) {
        standing.report = reportOf(shown);
        standing.unplanned = unplannedOf(shown);
    }
    if (job.isRunning) {
        standing.report.state = PartState::Running;
        standing.report.perMille = job.perMille;
    } else if (!job.refusal.empty()) {
        standing.report.state = PartState::Refused;
        standing.report.reason = job.refusal;
    }
    return standing;
}

} // namespace

std::vector<PlannerStanding> plannerStandings(const Choices& choices, const PlanningJob& job,
                                              const Planned& shown,
                                              const std::vector<PlannedPtr>& known)
{
    // Parts tell where they stand as they go: the job's own tell of now.
    const Planned* source = job.isRunning || shown.choices != choices ? job.soFar.get() : &shown;
    const std::vector<PartReport> parts = partsOf(source);
    std::vector<PlannerStanding> standings;
    for (const auto& planner : solve::planners()) {
        const std::string& id = planner->descriptor().id;
        const bool isChosen = id == choices.planner;
        std::optional<PlannerStanding> standing;
        if (isChosen)
            standing = ofChosen(choices, job, shown);
        else if (std::optional<PartReport> part = find(parts, id))
            standing = PlannerStanding{*std::move(part), false, true, unplannedOf(*source)};
        if (!standing)
            standing = before(id, choices, known);
        standings.push_back(standing ? *std::move(standing) : PlannerStanding{PartReport{id}});
        standings.back().isChosen = isChosen;
    }
    return standings;
}

StandingAt standingAt(const PlannerStanding& standing, base::Bytes budget,
                      const ProvenBounds& bounds)
{
    const std::vector<plan::PartPoint>& found = standing.report.found;
    const auto over =
        std::partition_point(found.begin(), found.end(), [budget](const plan::PartPoint& point) {
            return point.peak <= budget;
        });
    if (over == found.begin())
        return {std::nullopt, standing.isBounded && budget < bounds.peak ? solve::Status::Infeasible
                                                                         : solve::Status::NotFound};
    const plan::PartPoint& best = *std::prev(over);
    return {best, standing.isBounded && best.stepTime <= bounds.time ? solve::Status::Optimal
                                                                     : solve::Status::Feasible};
}

} // namespace plimsoll::workspace
