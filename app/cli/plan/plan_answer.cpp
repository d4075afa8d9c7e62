// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/plan_answer.h"

#include "app/cli/plan/evaluation_json.h"
#include "app/cli/plan/plan_frontier.h"
#include "app/cli/plan/planner_summaries.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/plan/pins.h"
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_parts.h"
#include "core/solve/registry.h"
#include "core/workspace/planning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::cli {

namespace {

/// The planner that made the plan, with its options, if another planner was asked.
ordered_json makerJson(const plan::FrontierPoint& best)
{
    if (!best || !best.provenance->maker)
        return nullptr;
    const auto& [planner, texts] = *best.provenance->maker;
    ordered_json options = ordered_json::object();
    for (const auto& [name, value] : texts)
        options[name] = value;
    return {{"planner", planner}, {"options", std::move(options)}};
}

/// "auto (rotor --ways on)", or just "rotor" if that planner was asked.
std::string plannerText(const plan::Provenance& from)
{
    const std::string& asked = from.asked.planner;
    return from.maker ? fmt::format("{} ({})", asked, solve::makerCall(from)) : asked;
}

/// The options by name, as typed on the command line.
ordered_json optionsJson(const Planning& planning)
{
    ordered_json json = ordered_json::object();
    for (const solve::OptionRecord& option : planning.planner.options) {
        const solve::OptionValue value =
            solve::chosenValue(planning.planner, planning.options, option.name);
        if (option.kind() == solve::OptionKind::Number)
            json[option.name] = std::get<std::int64_t>(value);
        else
            json[option.name] = solve::valueText(option, value);
    }
    return json;
}

ordered_json pinsJson(const std::vector<PricedPin>& pins)
{
    ordered_json rows = ordered_json::array();
    for (const PricedPin& row : pins) {
        ordered_json json = {{"pin", plan::pinText(row.pin)},
                             {"matched", row.pin.storages.size()},
                             {"given", row.given},
                             {"price_ns", nullptr}};
        if (row.at.price)
            json["price_ns"] = row.at.price->count();
        rows.push_back(std::move(json));
    }
    return rows;
}

std::string pinsText(const std::vector<PricedPin>& pins)
{
    std::string text;
    for (const PricedPin& row : pins)
        text += fmt::format(
            "  pin {} ({}){}{}\n", base::printable(plan::pinText(row.pin)),
            base::counted(row.pin.storages.size(), "value"),
            row.at.price      ? fmt::format(" costs {} a step", base::timeText(*row.at.price))
            : row.isOutOfTime ? ": its cost is unknown, as no time was left to compute it"
                              : std::string{},
            row.given > 1 ? fmt::format("; given {} times, it counts once", row.given)
                          : std::string{});
    return text;
}

/// The pins that keep a plan from fitting the budget.
std::string blameText(const Planning& planning)
{
    std::vector<std::string> guilty;
    for (const PricedPin& row : planning.pins)
        if (row.at.isWhy || planning.areAllPinsWhy)
            guilty.push_back(base::printable(plan::pinText(row.pin)));
    if (guilty.empty())
        return {};
    if (planning.areAllPinsWhy)
        return fmt::format(" There is one without the pins {}: removing one of them isn't enough.",
                           fmt::join(guilty, " and "));
    return fmt::format(" There is one without the pin {}.", fmt::join(guilty, ", or without "));
}

/// The question, and what is known of the problem.
ordered_json problemJson(const Planning& planning)
{
    const plan::Problem& problem = planning.problem;
    const solve::Outcome& outcome = planning.outcome;
    const std::vector<plan::FrontierPoint>& points = outcome.frontier->points();
    const plan::Workspaces workspaces =
        workspace::reservedWorkspaces(*problem.program, problem.device);
    ordered_json json = {{"status", solve::statusName(outcome.status)},
                         {"planner", planning.planner.id},
                         {"options", optionsJson(planning)},
                         {"made_by", makerJson(outcome.best)},
                         {"left_out", outcome.frontier->leftOut()},
                         {"device", problem.device.id},
                         {"budget_bytes", problem.budget.count()},
                         {"reserve_bytes", problem.reserve.count()},
                         {"cublas_workspaces", workspaces.threads},
                         {"cublas_workspace_bytes", workspaces.each.count()},
                         {"lower_bound_peak_bytes", outcome.peakBound.bytes.count()},
                         {"lower_bound_op", nullptr},
                         {"time_bound_ns", outcome.timeBound.count()},
                         {"gap_percent", nullptr},
                         {"verified", outcome.best.plan != nullptr},
                         {"searched", planning.searched},
                         {"stopped", outcome.stopped},
                         {"smallest_known_budget_bytes", nullptr}};
    if (!problem.step()->ops.empty())
        json["lower_bound_op"] = outcome.peakBound.op.index();
    if (!points.empty())
        json["smallest_known_budget_bytes"] = points.front()->evaluation().peak.count();
    return json;
}

/// The keys of an evaluation if there is no plan: the question is kept, other values are null.
void addNothing(ordered_json& json, const Planning& planning)
{
    const solve::OptionReader asked{planning.planner, planning.options};
    const auto runtime = asked.get<plan::Runtime>("runtime");
    json["runtime"] = plan::runtimeName(runtime);
    json["granularity"] = plan::granularityName(asked.get<plan::Granularity>("granularity"));
    json["freeze_stats"] = asked.get<bool>("freeze-stats");
    for (const char* key :
         {"expressed_as", "why_no_regions", "peak_bytes", "peak_op", "peak_op_name",
          "saved_for_backward_bytes", "step_time_ns", "recompute_time_ns", "transfer_time_ns",
          "overhead_percent", "data_parallel", "run"})
        json[key] = nullptr;
    json["base_peak_bytes"] = planning.unplanned.peak.count();
    json["base_step_time_ns"] = planning.unplanned.stepTime.count();
    addNoMemory(json);
    for (const char* key : {"recomputed", "labels", "regions", "warnings", "not_modelled"})
        json[key] = ordered_json::array();
    if (runtime == plan::Runtime::CompiledStep)
        json["schedule"] = plan::scheduleJson({});
}

/// The largest possible gap to the fastest step within the budget, in percent of the plain step.
double gapPercent(const solve::Outcome& outcome, const plan::Evaluation& unplanned)
{
    if (!outcome.best || unplanned.stepTime.count() == 0)
        return 0;
    const base::Nanoseconds gap = outcome.best->evaluation().stepTime - outcome.timeBound;
    return 100.0 * static_cast<double>(std::max(gap, base::Nanoseconds{}).count())
           / static_cast<double>(unplanned.stepTime.count());
}

std::string boundText(const solve::Outcome& outcome, const plan::Evaluation& unplanned)
{
    if (outcome.status == solve::Status::Optimal)
        return "  bound       no plan within the budget is faster\n";
    return fmt::format("  bound       at least {} within the budget: {:.1f} % of the unplanned "
                       "step may be left to gain\n",
                       base::timeText(outcome.timeBound), gapPercent(outcome, unplanned));
}

/// With its excess over the budget: "1,024 B (24 B more)".
std::string beside(base::Bytes budget, base::Bytes needed)
{
    return fmt::format("{} ({} more)", base::exactBytesText(needed),
                       base::exactBytesText(needed - budget));
}

/// The budget that is missing for a plan to run.
std::string runsFromText(const Planning& planning)
{
    if (!planning.runsFrom)
        return {};
    const base::Bytes more = *planning.runsFrom - planning.problem.budget;
    return fmt::format("  runs from   {}, {} more: with that budget a plan runs without emptying "
                       "the cache\n",
                       base::bytesText(*planning.runsFrom, base::Rounding::Up),
                       base::bytesText(more, base::Rounding::Up));
}

/// The op whose memory no plan can go below.
std::string needer(const Planning& planning)
{
    const graph::Program& program = *planning.problem.step();
    const graph::OpId op = planning.outcome.peakBound.op;
    if (program.ops.empty())
        return "the reserve";
    return fmt::format("op {}, {}", op.index(), base::printable(program.label(program.op(op))));
}

/// What tells somebody whose model is smaller than the reserve why a share of its peak isn't met.
std::string ofReserve(base::Bytes reserve)
{
    return reserve.count() == 0
               ? std::string{}
               : fmt::format(", {} of which are the reserve", base::exactBytesText(reserve));
}

/// By how much the budget is missed, and why.
std::string missedText(const Planning& planning)
{
    const solve::Outcome& outcome = planning.outcome;
    const base::Bytes budget = planning.problem.budget;
    const base::Bytes bound = outcome.peakBound.bytes;
    const std::vector<plan::FrontierPoint>& points = outcome.frontier->points();
    const std::string known = points.empty()
                                  ? std::string{"no plan is known for any budget"}
                                  : fmt::format("the smallest peak of a plan is {}",
                                                beside(budget, points.front()->evaluation().peak));
    if (outcome.status == solve::Status::Infeasible)
        return fmt::format("No plan exists within {}: {}, needs {} whatever is recomputed{}; {}{}.",
                           base::exactBytesText(budget), needer(planning), beside(budget, bound),
                           ofReserve(planning.problem.reserve), known,
                           !planning.searched ? ", as far as is known without a search"
                           : outcome.stopped ? ", as far as was found before the search was stopped"
                                             : "");
    return fmt::format("{} within {}: {}; none can be below {}.",
                       outcome.stopped ? "The search was stopped early; no plan was found yet"
                                       : "No plan was found",
                       base::exactBytesText(budget), known, base::exactBytesText(bound));
}

std::string nothingText(const Planning& planning)
{
    const solve::Outcome& outcome = planning.outcome;
    const base::Bytes budget = planning.problem.budget;
    const std::vector<plan::FrontierPoint>& points = outcome.frontier->points();
    std::string text =
        fmt::format("{}: no plan within {}{}\n", solve::statusName(outcome.status),
                    base::exactBytesText(budget), outcome.stopped ? ", stopped early" : "")
        + reserveText(planning.problem);
    if (!points.empty())
        text += fmt::format(
            "  smallest peak of a plan     {}{}\n",
            beside(budget, points.front()->evaluation().peak),
            planning.searched ? "" : ", known without a search: use --frontier 2 to search");
    return text
           + fmt::format("  lower bound                 {}, needed by {}\n",
                         outcome.status == solve::Status::Infeasible
                             ? beside(budget, outcome.peakBound.bytes)
                             : base::exactBytesText(outcome.peakBound.bytes),
                         needer(planning))
           + runsFromText(planning);
}

} // namespace

Answer describe(const Planning& planning)
{
    const solve::Outcome& outcome = planning.outcome;
    Answer answer;
    answer.json = problemJson(planning);
    if (outcome.best) {
        const plan::Plan& plan = outcome.best->plan();
        const plan::Evaluation& evaluation = outcome.best->evaluation();
        addEvaluation(answer.json, planning.problem, plan, evaluation, planning.unplanned);
        answer.text = fmt::format("{} plan by {}{}\n", solve::statusName(outcome.status),
                                  plannerText(*outcome.best.provenance),
                                  outcome.stopped ? ", stopped early" : "")
                      + evaluationText(planning.problem, plan, evaluation, planning.unplanned)
                      + boundText(outcome, planning.unplanned);
        answer.json["gap_percent"] = gapPercent(outcome, planning.unplanned);
        if (planning.memory) {
            addMemory(answer.json, *planning.memory);
            answer.text += memoryText(*planning.memory);
        }
        if (planning.run) {
            answer.json["run"] = runJson(planning.problem, *planning.run);
            answer.text += runText(planning.problem, *planning.run) + runsFromText(planning);
        } else {
            answer.json["run"] = nullptr;
            if (planning.problem.step()->header.target == "cuda")
                answer.text += "  will run    not known: stopped before\n";
        }
        for (const std::string& path : planning.exports)
            answer.text += fmt::format("  wrote {}\n", io::pathText(path));
    } else {
        addNothing(answer.json, planning);
        answer.exit = Exit::NoPlan;
        answer.text = nothingText(planning);
        answer.error = missedText(planning) + blameText(planning);
    }
    for (const std::string& sentence : outcome.frontier->leftOut())
        answer.text += fmt::format("  {}\n", base::printable(sentence));
    const base::Nanoseconds unplanned = planning.unplanned.stepTime;
    answer.json["planners"] = standingsJson(outcome, planning.comparablePeak, unplanned);
    std::optional<base::Bytes> mostPeak; // where the budget isn't what planners are compared at
    if (planning.comparablePeak != planning.problem.budget)
        mostPeak = planning.comparablePeak;
    answer.text += standingsText(answer.json["planners"], outcome, mostPeak, unplanned);
    answer.json["runs_from_bytes"] = nullptr;
    if (planning.runsFrom)
        answer.json["runs_from_bytes"] = planning.runsFrom->count();
    answer.json["pins"] = pinsJson(planning.pins);
    answer.text += pinsText(planning.pins);
    const graph::Program& program = *planning.problem.step();
    answer.json["cheapest_next"] = nullptr;
    if (outcome.best)
        answer.json["cheapest_next"] =
            cheapestNextJson(planning.byBudget, *outcome.best, planning.hasFlips);
    answer.json["frontier"] = frontierJson(planning.byBudget, planning.points, planning.hasFlips);
    answer.text += cheapestNextText(program, answer.json["cheapest_next"])
                   + frontierText(program, answer.json["frontier"]);
    answer.json["exports"] = planning.exports;
    return answer;
}

void addPicks(Answer& answer, const plan::Problem& problem, const std::vector<solve::Pick>& picks)
{
    const graph::Program& program = *problem.step();
    ordered_json rows = ordered_json::array();
    for (const solve::Pick& pick : picks) {
        const graph::Op& op = program.op(pick.op);
        const base::Bytes left = std::max(pick.peak - problem.budget, base::Bytes{});
        ordered_json msps; // null: it takes no time
        if (std::isfinite(pick.bytesPerNanosecond))
            msps = pick.bytesPerNanosecond;
        rows.push_back({{"candidate", pick.value.index()},
                        {"op", pick.op.index()},
                        {"module", program.modulePath(op)},
                        {"target", program.targetOf(op)},
                        {"bytes", pick.bytes.count()},
                        {"recompute_time_ns", pick.recomputeTime.count()},
                        {"times", pick.times},
                        {"msps", std::move(msps)},
                        {"peak_bytes", pick.peak.count()},
                        {"need_left_bytes", left.count()}});
        answer.text += fmt::format(
            "  pick {:<4} {:<10} {} x {:<8} {:>12}  {}  op {}, {}\n", rows.size(),
            base::bytesText(pick.bytes), pick.times, base::timeText(pick.recomputeTime),
            std::isfinite(pick.bytesPerNanosecond)
                ? base::bytesText(base::Bytes{std::llround(pick.bytesPerNanosecond * 1e6)}) + "/ms"
                : std::string{"no time"},
            left.count() > 0 ? base::bytesText(left, base::Rounding::Up) + " over" : "fits",
            pick.op.index(), base::printable(program.label(op)));
    }
    answer.json["explain"] = std::move(rows);
}

} // namespace plimsoll::cli
