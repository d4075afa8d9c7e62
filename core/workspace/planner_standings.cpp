// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planner_standings.h"

#include <algorithm>
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

std::vector<PartReport> partsOf(const std::shared_ptr<const plan::PartReports>& parts)
{
    return parts ? parts->read() : std::vector<PartReport>{};
}

/// What it found when it, or one that ran it, was asked under else equal choices.
std::optional<PartReport> before(const std::string& planner, const Choices& choices,
                                 const std::vector<PlannedPtr>& known)
{
    for (const PlannedPtr& planned : known) {
        Choices same = choices;
        same.planner = planned->choices.planner;
        if (same != planned->choices)
            continue;
        std::optional<PartReport> report = same.planner == planner
                                               ? reportOf(*planned)
                                               : find(partsOf(planned->frontier->parts()), planner);
        if (report && report->state == PartState::Over)
            return report;
    }
    return std::nullopt;
}

} // namespace

std::vector<PlannerStanding> plannerStandings(const Choices& choices, const PlanningJob& job,
                                              const Planned& shown,
                                              const std::vector<PlannedPtr>& known)
{
    const bool isShown = shown.choices == choices;
    const std::vector<PartReport> parts = partsOf(job.isRunning ? job.parts
                                                  : isShown     ? shown.frontier->parts()
                                                                : nullptr);
    std::vector<PlannerStanding> standings;
    for (const auto& planner : solve::planners()) {
        const std::string& id = planner->descriptor().id;
        PlannerStanding standing{PartReport{id}, id == choices.planner, true};
        if (standing.isChosen && job.isRunning) {
            standing.report.state = PartState::Running;
            standing.report.perMille = job.perMille;
        } else if (standing.isChosen && isShown) {
            standing.report = reportOf(shown);
        } else if (std::optional<PartReport> part = find(parts, id)) {
            standing.report = *std::move(part);
        } else {
            standing.isBounded = false;
            if (std::optional<PartReport> report = before(id, choices, known))
                standing.report = *std::move(report);
        }
        standings.push_back(std::move(standing));
    }
    return standings;
}

} // namespace plimsoll::workspace
