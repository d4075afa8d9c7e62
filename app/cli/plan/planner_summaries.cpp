// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/planner_summaries.h"

#include "core/base/format.h"
#include "core/solve/registry.h"
#include "core/workspace/planner_summaries.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::cli {

namespace {

using plan::PlannerState;

/// State names after the search, when no planner waits or runs any more.
const char* stateName(PlannerState state)
{
    switch (state) {
    case PlannerState::Over: return "over";
    case PlannerState::Unfit: return "unfit";
    case PlannerState::Refused: return "refused";
    default: return "stopped";
    }
}

} // namespace

ordered_json standingsJson(const solve::Outcome& outcome, base::Bytes mostPeak,
                           base::Nanoseconds unplanned)
{
    ordered_json rows = ordered_json::array();
    if (!outcome.frontier->parts())
        return rows;
    for (plan::PlannerProgress& report : outcome.frontier->parts()->read()) {
        const workspace::PlannerSummary standing{std::move(report), false, true, unplanned};
        const bool isTaken =
            outcome.best && standing.report.call == solve::makerCall(*outcome.best.provenance);
        const auto at = workspace::summaryAt(
            standing, mostPeak, {outcome.peakBound.bytes, outcome.timeBound},
            isTaken ? std::optional{plan::progressPoint(*outcome.best)} : std::nullopt);
        const PlannerState state = standing.report.state;
        ordered_json row = {{"planner", standing.report.planner},
                            {"call", standing.report.call},
                            {"state", stateName(state)},
                            {"peak_limit_bytes", mostPeak.count()},
                            {"status", nullptr},
                            {"peak_bytes", nullptr},
                            {"step_time_ns", nullptr},
                            {"reason", nullptr}};
        if (state == PlannerState::Over || at.best)
            row["status"] = solve::statusName(at.status);
        if (at.best) {
            row["peak_bytes"] = at.best->peak.count();
            row["step_time_ns"] = at.best->stepTime.count();
        }
        if (!standing.report.reason.empty())
            row["reason"] = standing.report.reason;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string standingsText(const ordered_json& rows, const solve::Outcome& outcome,
                          std::optional<base::Bytes> mostPeak, base::Nanoseconds unplanned)
{
    std::string text;
    if (mostPeak && !rows.empty())
        text =
            fmt::format("  planners    by peak (at most {}, this plan's) and time, whether their "
                        "plans run or not\n",
                        base::bytesText(*mostPeak, base::Rounding::Up));
    for (const ordered_json& row : rows) {
        const auto call = row["call"].get<std::string>();
        const auto planner = call.empty() ? row["planner"].get<std::string>() : call;
        // Without a search, stop the planners before they begin.
        const bool isStopped = outcome.stopped && row["state"] == stateName(PlannerState::Stopped);
        if (!row["peak_bytes"].is_null()) {
            const base::Nanoseconds time{row["step_time_ns"].get<std::int64_t>()};
            const double slower = unplanned.count() > 0
                                      ? 100.0 * static_cast<double>((time - unplanned).count())
                                            / static_cast<double>(unplanned.count())
                                      : 0.0;
            text += fmt::format("  {:<11} {} in {} a step ({:+.1f} %), {}{}\n", planner,
                                base::bytesText(base::Bytes{row["peak_bytes"].get<std::int64_t>()},
                                                base::Rounding::Up),
                                base::timeText(time), slower, row["status"].get<std::string>(),
                                isStopped ? ", stopped early" : "");
        } else if (isStopped) {
            text +=
                fmt::format("  {:<11} stopped before it had a plan within the budget\n", planner);
        } else if (row["state"] == "over") {
            text +=
                fmt::format("  {:<11} {}\n", planner,
                            mostPeak ? "no plan with so low a peak" : "no plan within the budget");
        }
    }
    return text;
}

} // namespace plimsoll::cli
