// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planner_summaries.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace plimsoll::workspace {

namespace {

using plan::PlannerProgress;
using plan::PlannerState;

/// The progress of the planner that was asked.
PlannerProgress reportOf(const Planned& planned)
{
    PlannerProgress report{planned.choices.planner};
    report.found = plan::progressPoints(*planned.frontier);
    report.took = planned.took;
    if (planned.took.count() > 0)
        report.state = PlannerState::Over;
    else if (report.found.size() > 1) // every document begins with one
        report.state = PlannerState::Stopped;
    else
        report.found.clear();
    return report;
}

/// Keeps the best points of both.
void joinPoints(std::vector<plan::ProgressPoint>& into,
                const std::vector<plan::ProgressPoint>& others)
{
    std::vector<plan::ProgressPoint> all = std::exchange(into, {});
    all.insert(all.end(), others.begin(), others.end());
    std::sort(all.begin(), all.end(),
              [](const plan::ProgressPoint& a, const plan::ProgressPoint& b) {
                  return a.peak != b.peak ? a.peak < b.peak : a.stepTime < b.stepTime;
              });
    for (const plan::ProgressPoint& point : all)
        if (into.empty() || point.stepTime < into.back().stepTime)
            into.push_back(point);
}

/// Merges the parts of one planner: the points found by any of them are its own.
void join(PlannerProgress& into, const PlannerProgress& other)
{
    const auto rank = [](PlannerState state) {
        constexpr std::array kFirst{PlannerState::Running, PlannerState::Waiting,
                                    PlannerState::Stopped, PlannerState::Over};
        return std::find(kFirst.begin(), kFirst.end(), state) - kFirst.begin();
    };
    if (rank(other.state) < rank(into.state)) {
        into.state = other.state;
        into.perMille = other.perMille;
        into.reason = other.reason;
    }
    into.took = std::max(into.took, other.took);
    joinPoints(into.found, other.found);
}

std::vector<PlannerProgress> partsOf(const Planned* planned)
{
    return planned != nullptr && planned->frontier->parts() ? planned->frontier->parts()->read()
                                                            : std::vector<PlannerProgress>{};
}

/// The progress of a planner as run by another one: in parts of its own, running ones included, and
/// in parts of planners that start from its plans.
std::optional<PlannerProgress> find(const Planned* planned, const std::string& planner)
{
    std::optional<PlannerProgress> found;
    for (const PlannerProgress& report : partsOf(planned)) {
        if (report.planner != planner)
            continue;
        if (found)
            join(*found, report);
        else
            found = report;
    }
    if (!found)
        return found;
    std::vector<plan::ProgressPoint> made;
    for (const plan::FrontierPoint& point : planned->frontier->points())
        if (point.provenance->madeBy().planner == planner)
            made.push_back(plan::progressPoint(*point));
    joinPoints(found->found, made);
    return found;
}

base::Nanoseconds unplannedOf(const Planned& planned)
{
    return planned.unplanned->evaluation().stepTime;
}

/// Its progress when it, or a planner that ran it, was last asked with otherwise equal choices.
std::optional<PlannerSummary> before(const std::string& planner, const Choices& choices,
                                     const std::vector<PlannedPtr>& known)
{
    for (const PlannedPtr& planned : known) {
        Choices same = choices;
        same.planner = planned->choices.planner;
        if (same != planned->choices)
            continue;
        std::optional<PlannerProgress> report =
            same.planner == planner ? reportOf(*planned) : find(planned.get(), planner);
        if (report && report->state == PlannerState::Over)
            return PlannerSummary{*std::move(report), false, false, unplannedOf(*planned)};
    }
    return std::nullopt;
}

/// The summary of the chosen planner, if its plans are shown or it is running.
std::optional<PlannerSummary> ofChosen(const Choices& choices, const PlanningJob& job,
                                       const Planned& shown)
{
    const bool isShown = shown.choices == choices;
    if (!isShown && !job.isRunning && job.refusal.empty())
        return std::nullopt;
    PlannerSummary standing{PlannerProgress{choices.planner}, true, true};
    if (isShown) {
        standing.report = reportOf(shown);
        standing.unplanned = unplannedOf(shown);
    }
    if (job.isRunning) {
        standing.report.state = PlannerState::Running;
        standing.report.perMille = job.perMille;
    } else if (!job.refusal.empty()) {
        standing.report.state = PlannerState::Refused;
        standing.report.reason = job.refusal;
    }
    return standing;
}

} // namespace

std::vector<PlannerSummary> plannerSummaries(const Choices& choices, const PlanningJob& job,
                                             const Planned& shown,
                                             const std::vector<PlannedPtr>& known)
{
    // Parts report their state while running, so a running job's own list is current.
    const Planned* source = job.isRunning || shown.choices != choices ? job.soFar.get() : &shown;
    std::vector<PlannerSummary> standings;
    for (const auto& planner : solve::planners()) {
        const std::string& id = planner->descriptor().id;
        const bool isChosen = id == choices.planner;
        std::optional<PlannerSummary> standing;
        if (isChosen)
            standing = ofChosen(choices, job, shown);
        else if (std::optional<PlannerProgress> part = find(source, id))
            standing = PlannerSummary{*std::move(part), false, true, unplannedOf(*source)};
        if (!standing)
            standing = before(id, choices, known);
        standings.push_back(standing ? *std::move(standing) : PlannerSummary{PlannerProgress{id}});
        standings.back().isChosen = isChosen;
    }
    return standings;
}

SummaryAt summaryAt(const PlannerSummary& standing, base::Bytes budget, const ProvenBounds& bounds,
                    const std::optional<plan::ProgressPoint>& taken)
{
    const std::vector<plan::ProgressPoint>& found = standing.report.found;
    const auto over = std::partition_point(
        found.begin(), found.end(),
        [budget](const plan::ProgressPoint& point) { return point.peak <= budget; });
    if (!taken && over == found.begin())
        return {std::nullopt, standing.isBounded && budget < bounds.peak ? solve::Status::Infeasible
                                                                         : solve::Status::NotFound};
    const plan::ProgressPoint& best = taken ? *taken : *std::prev(over);
    return {best, standing.isBounded && best.stepTime <= bounds.time ? solve::Status::Optimal
                                                                     : solve::Status::Feasible};
}

} // namespace plimsoll::workspace
