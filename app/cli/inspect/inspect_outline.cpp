// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inspect/inspect_outline.h"

#include "app/cli/graph_input.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace plimsoll::cli {

namespace {

using base::printable;

ordered_json planJson(const plan::PlanOutline& outline)
{
    const plan::Plan& plan = outline.file.plan;
    const plan::PlannerCall& asked = outline.file.provenance.asked;
    const plan::PlanFileInfo& info = outline.file.info;
    ordered_json options = ordered_json::object();
    for (const auto& [name, value] : asked.options)
        options[name] = value;
    return {{"name", info.model},
            {"model_class", info.modelClass},
            {"batch", info.batch},
            {"target", info.target},
            {"torch", info.torch},
            {"ops", info.ops},
            {"forward_ops", info.forwardOps},
            {"fingerprint", info.fingerprint},
            {"planner", asked.planner},
            {"options", std::move(options)},
            {"runtime", plan::runtimeName(plan.runtime())},
            {"granularity", plan::granularityName(plan.granularity())},
            {"freeze_stats", plan.freezeStats()},
            {"device", info.device},
            {"budget_bytes", info.budget.count()},
            {"reserve_bytes", info.reserve.count()},
            {"rounding", graph::blockBytes(info.rounding)},
            {"data_parallel",
             info.dataParallel.empty() ? ordered_json{} : ordered_json(info.dataParallel)},
            {"peak_bytes", info.peak.count()},
            {"peak_op", info.peakOp},
            {"base_peak_bytes", info.basePeak.count()},
            {"step_time_ns", info.stepTime.count()},
            {"base_step_time_ns", info.baseStepTime.count()},
            {"recompute_time_ns", info.recomputeTime.count()},
            {"regions", outline.regions},
            {"places", outline.places}};
}

std::string planText(const plan::PlanOutline& outline)
{
    const plan::Plan& plan = outline.file.plan;
    const plan::PlanFileInfo& info = outline.file.info;
    const plan::PlanKind& kind = plan::kindOf(plan.runtime());
    std::string text = fmt::format("plan for {}\n  graph       {}, traced with torch {} for {}\n",
                                   titled(info.model, info.batch), base::counted(info.ops, "op"),
                                   printable(info.torch, 40), printable(info.target, 40));
    text += fmt::format("  made by     {} for {}\n",
                        printable(outline.file.provenance.asked.planner, 40),
                        printable(info.device, 200));
    text += fmt::format("  runtime     {}: plimsoll.{}\n", kind.id, kind.runner);
    text += plan.isCompiledStep()
                ? fmt::format("  recomputes  ops in {}\n", base::counted(outline.places, kind.unit))
                : fmt::format("  recomputes  {} between {}s{}\n",
                              base::counted(outline.regions, kind.unit),
                              plan::granularityName(plan.granularity()),
                              plan.freezeStats() ? ", statistics frozen" : "");
    if (!info.dataParallel.empty())
        text += fmt::format("  parallel    {}\n", printable(info.dataParallel));
    text += fmt::format("  budget      {}\n  peak        {}, unplanned {}\n",
                        base::exactBytesText(info.budget), base::exactBytesText(info.peak),
                        base::exactBytesText(info.basePeak));
    text += fmt::format("  step        {}, unplanned {}\n", base::timeText(info.stepTime),
                        base::timeText(info.baseStepTime));
    return text + "  numbers from the file: \"plimsoll-cli check PLAN GRAPH\" verifies them\n";
}

ordered_json runJson(const compare::MeasuredRun& run)
{
    const auto bytes = [](std::optional<base::Bytes> value) {
        return value ? ordered_json(value->count()) : ordered_json{};
    };
    ordered_json plan;
    if (run.plan)
        plan = {{"runtime", run.plan->runtime},
                {"granularity", run.plan->granularity},
                {"freeze_stats", run.plan->freezeStats},
                {"planner", run.plan->planner},
                {"budget_bytes", bytes(run.plan->budget)},
                {"peak_bytes", bytes(run.plan->peak)}};
    return {{"planned", run.plan.has_value()},
            {"plan", std::move(plan)},
            {"step_time_ns", run.stepTime ? ordered_json(run.stepTime->count()) : ordered_json{}},
            {"steps", run.stepTimes.size()},
            {"ops", run.ops.size()},
            {"resident_bytes", run.resident.count()},
            {"saved_bytes", bytes(run.saved)},
            {"live_peak_bytes", bytes(run.livePeak)},
            {"allocator_peak_bytes", bytes(run.allocatorPeak)},
            {"reserved_peak_bytes", bytes(run.reservedPeak)}};
}

std::string runText(const compare::MeasuredRun& run)
{
    std::string text =
        run.plan ? fmt::format("  with a plan by {} for runtime {}\n",
                               printable(run.plan->planner, 40), printable(run.plan->runtime, 40))
                 : std::string{"  without a plan\n"};
    const auto row = [&](const char* name, std::optional<base::Bytes> value) {
        if (value)
            text += fmt::format("    {:<16} {}\n", name, base::exactBytesText(*value));
    };
    if (run.stepTime)
        text +=
            fmt::format("    {:<16} {}, median of {}\n", "step time", base::timeText(*run.stepTime),
                        base::counted(run.stepTimes.size(), "step"));
    else
        text += fmt::format("    {:<16} not measured\n", "step time");
    row("before the step", run.resident);
    row("saved", run.saved);
    row("live peak", run.livePeak);
    row("allocator peak", run.allocatorPeak);
    row("reserved peak", run.reservedPeak);
    return text;
}

/// Both formats have only this version so far: the readers reject others.
Answer answerOf(const std::string& file, const char* kind, ordered_json summary, std::string text)
{
    Answer answer;
    answer.json = {{"file", file},
                   {"format", std::string{"plimsoll-"} + kind},
                   {"format_version", 1},
                   {"kind", kind},
                   {"summary", std::move(summary)},
                   {"statistics", ordered_json::object()}};
    answer.text = std::move(text);
    return answer;
}

} // namespace

Answer inspectPlan(const std::string& file)
{
    const plan::PlanOutline outline = readOutline(file);
    return answerOf(file, "plan", planJson(outline), planText(outline));
}

Answer inspectMeasurement(const std::string& file)
{
    const compare::Measurement measured = readMeasurement(file);
    ordered_json runs = ordered_json::array();
    std::string text = fmt::format("measurement of {}\n  on {} with torch {}\n",
                                   titled(measured.model, measured.batch),
                                   printable(measured.device), printable(measured.torch, 40));
    for (const compare::MeasuredRun& run : measured.runs) {
        runs.push_back(runJson(run));
        text += runText(run);
    }
    text += "  \"plimsoll-cli diff MEASUREMENT GRAPH\" compares it with the prediction\n";
    ordered_json summary = {
        {"name", measured.model},
        {"model_class", measured.modelClass},
        {"batch", measured.batch},
        {"backend", measured.backend == compare::Backend::Cuda ? "cuda" : "cpu"},
        {"device", measured.device},
        {"threads", measured.threads},
        {"torch", measured.torch},
        {"exporter", measured.exporter},
        {"runs", std::move(runs)}};
    return answerOf(file, "measurement", std::move(summary), std::move(text));
}

} // namespace plimsoll::cli
