// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/plan_frontier.h"

#include "core/base/format.h"
#include "core/run/next_plans.h"
#include "core/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plimsoll::cli {

namespace {

ordered_json flipsJson(const graph::Program& program,
                       const std::vector<plan::DecisionChange>& changes)
{
    ordered_json rows = ordered_json::array();
    for (const plan::DecisionChange& flip : changes) {
        const graph::Op& op = program.op(flip.value.op);
        rows.push_back({{"decision", plan::decisionName(flip.decision)},
                        {"op", flip.value.op.index()},
                        {"module", program.modulePath(op)},
                        {"target", program.targetOf(op)},
                        {"storage", flip.value.storage.index()},
                        {"bytes", flip.value.bytes.count()},
                        {"time_ns", flip.change.count()}});
    }
    return rows;
}

/// What a cheaper plan saves and costs; null if there is none.
void addDescent(ordered_json& row, const plan::CheaperPlan& way, bool hasFlips)
{
    for (const char* key : {"saved_bytes", "extra_time_ns", "ns_per_gib"})
        row[key] = nullptr;
    if (hasFlips)
        row["flips"] = ordered_json::array();
    if (!way.to)
        return;
    row["saved_bytes"] = way.saved.count();
    row["extra_time_ns"] = way.extraTime.count();
    row["ns_per_gib"] = std::llround(way.nanosecondsPerGibibyte());
    if (hasFlips)
        row["flips"] = flipsJson(*way.to->problem().step(), way.changes);
}

ordered_json pointJson(std::int64_t budget, const plan::FrontierPoint& point)
{
    return {{"budget_bytes", budget},
            {"peak_bytes", point->evaluation().peak.count()},
            {"step_time_ns", point->evaluation().stepTime.count()},
            {"planner", point.provenance->madeBy().planner},
            {"call", solve::makerCall(*point.provenance)}};
}

/// "recompute 3 values (1.2 GiB), keep 1 value (20 MiB)", then the largest of them.
std::string flipsText(const graph::Program& program, const ordered_json& flips)
{
    constexpr std::size_t kNamed = 3;
    std::string text;
    for (const auto& [decision, words] :
         {std::pair{"recompute", "recompute"}, std::pair{"keep", "keep"},
          std::pair{"more_often", "recompute more often"},
          std::pair{"less_often", "recompute less often"}}) {
        std::vector<const ordered_json*> rows;
        base::Bytes bytes;
        for (const ordered_json& flip : flips)
            if (flip["decision"] == decision) {
                rows.push_back(&flip);
                bytes += base::Bytes{flip["bytes"].get<std::int64_t>()};
            }
        if (rows.empty())
            continue;
        std::stable_sort(
            rows.begin(), rows.end(), [](const ordered_json* a, const ordered_json* b) {
                return (*a)["bytes"].get<std::int64_t>() > (*b)["bytes"].get<std::int64_t>();
            });
        text += fmt::format("      {} {}, {}:", words, base::counted(rows.size(), "value"),
                            base::bytesText(bytes));
        for (std::size_t i = 0; i < std::min(kNamed, rows.size()); ++i) {
            const graph::OpId op{(*rows[i])["op"].get<std::size_t>()};
            text += fmt::format("{} {}", i > 0 ? "," : "",
                                base::printable(program.label(program.op(op))));
        }
        text += rows.size() > kNamed ? ", …\n" : "\n";
    }
    return text;
}

/// "a peak 461 MiB lower for 11.2 ms more (24.9 ms a GiB)".
std::string priceText(const ordered_json& row)
{
    const auto time = [&row](const char* key) {
        return base::timeText(base::Nanoseconds{row[key].get<std::int64_t>()});
    };
    return fmt::format("a peak {} lower for {} more ({} a GiB)",
                       base::bytesText(base::Bytes{row["saved_bytes"].get<std::int64_t>()}),
                       time("extra_time_ns"), time("ns_per_gib"));
}

} // namespace

ordered_json frontierJson(const run::PlansByBudget& plans, int count, bool hasFlips)
{
    ordered_json rows = ordered_json::array();
    if (plans.empty())
        return rows;
    const std::int64_t low = plans.front().budget.count();
    const std::int64_t high = plans.back().budget.count();
    plan::VerifiedPlanPtr above;
    for (int i = count - 1; i >= 0; --i) { // from large to small, the direction of the changes
        const std::int64_t budget = count == 1 ? low : low + (high - low) / (count - 1) * i;
        const std::int64_t exact = i > 0 && i == count - 1 ? high : budget;
        if (!rows.empty() && rows.back()["budget_bytes"] == exact)
            continue; // fewer bytes in the range than points requested
        const plan::FrontierPoint plan = run::planFor(plans, base::Bytes{exact});
        ordered_json row = pointJson(exact, plan);
        addDescent(row,
                   above && above != plan.plan ? plan::cheaperPlan(*above, plan)
                                               : plan::CheaperPlan{},
                   hasFlips);
        rows.push_back(std::move(row));
        above = plan;
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
}

ordered_json cheapestNextJson(const run::PlansByBudget& plans, const plan::VerifiedPlan& plan,
                              bool hasFlips)
{
    const std::vector<run::NextPlan> next = run::nextPlans(plans, plan, 1);
    if (next.empty())
        return nullptr;
    ordered_json json = pointJson(next.front().budget.count(), next.front().way.to);
    addDescent(json, next.front().way, hasFlips);
    return json;
}

std::string frontierText(const graph::Program& program, const ordered_json& rows)
{
    std::string text;
    for (const ordered_json& row : rows) {
        const base::Bytes peak{row["peak_bytes"].get<std::int64_t>()};
        text += fmt::format(
            "  at {:<12} peak {:<12} step {:<12} by {}\n",
            base::budgetText(base::Bytes{row["budget_bytes"].get<std::int64_t>()}, peak),
            base::bytesText(peak, base::Rounding::Up),
            base::timeText(base::Nanoseconds{row["step_time_ns"].get<std::int64_t>()}),
            row["call"].get<std::string>());
        if (row.contains("flips") && !row["saved_bytes"].is_null())
            text += fmt::format("    compared with the next: {}\n{}", priceText(row),
                                flipsText(program, row["flips"]));
    }
    return text;
}

std::string cheapestNextText(const graph::Program& program, const ordered_json& next)
{
    if (next.is_null() || !next.contains("flips"))
        return {};
    return fmt::format("  next        {}, by {}\n{}", priceText(next),
                       next["call"].get<std::string>(), flipsText(program, next["flips"]));
}

} // namespace plimsoll::cli
